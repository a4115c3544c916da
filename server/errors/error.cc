#include "server/errors/error.h"

namespace torqued::server {

Error FieldError(v1::Reason reason, std::string field, std::string message) {
  Error error;
  error.reason = reason;
  error.message = field + ": " + message;
  error.violations.push_back({std::move(field), std::move(message)});
  return error;
}

}  // namespace torqued::server
