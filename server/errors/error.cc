#include "server/errors/error.h"

namespace torqued::server {

Error FieldError(v1::Reason reason, std::string field, std::string message) {
  Error error;
  error.reason = reason;
  error.message = field + ": " + message;
  error.violations.push_back({std::move(field), std::move(message)});
  return error;
}

Error InMessage(Error error, std::string_view message) {
  for (Violation& violation : error.violations) {
    const std::string_view part =
        violation.field.starts_with("options.") ? "start." : message;
    if (error.message.starts_with(violation.field + ": ")) {
      error.message.insert(0, part);
    }
    violation.field.insert(0, part);
  }
  return error;
}

}  // namespace torqued::server
