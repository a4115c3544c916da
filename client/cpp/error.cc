#include "client/cpp/error.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace torqued::client {
namespace {

// The messages mirror google.rpc, and so do the type URLs. The text before the
// last slash does not matter (protobuf's rule for Any).
void DecodeDetail(const google::protobuf::Any& any, Error::Details& details) {
  const std::string_view type = any.type_url();
  v1::ErrorInfo info;
  v1::BadRequest bad_request;
  v1::RetryInfo retry;
  if (type.ends_with("/google.rpc.ErrorInfo")) {
    if (!info.ParseFromString(any.value())) return;
    details.reason = info.reason();
    details.metadata.insert(info.metadata().begin(), info.metadata().end());
  } else if (type.ends_with("/google.rpc.BadRequest")) {
    if (!bad_request.ParseFromString(any.value())) return;
    for (const auto& violation : bad_request.field_violations()) {
      details.field_violations.push_back(
          {violation.field(), violation.description()});
    }
  } else if (type.ends_with("/google.rpc.RetryInfo") &&
             retry.ParseFromString(any.value()) && retry.has_retry_delay()) {
    // At most a day.
    details.retry_delay =
        std::chrono::seconds(std::clamp<std::int64_t>(
            retry.retry_delay().seconds(), 0, 86'400)) +
        std::chrono::nanoseconds(std::max(retry.retry_delay().nanos(), 0));
  }
}

}  // namespace

v1::Reason Error::reason() const {
  v1::Reason reason = v1::REASON_UNSPECIFIED;
  v1::Reason_Parse(details_.reason, &reason);
  return reason;
}

Error DecodeError(const grpc::Status& status) {
  Error::Details details;
  v1::Status decoded;
  // Details of another code are void: gRPC ended the call before the service.
  if (decoded.ParseFromString(status.error_details()) &&
      decoded.code() == static_cast<int>(status.error_code())) {
    for (const google::protobuf::Any& any : decoded.details()) {
      DecodeDetail(any, details);
    }
  }
  return Error(status.error_code(), status.error_message(), std::move(details));
}

std::string ToString(grpc::StatusCode code) {
  const std::string name =
      absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
  return name.empty() ? "CODE_" + std::to_string(code) : name;
}

}  // namespace torqued::client
