#include "server/errors/error.h"

#include <google/protobuf/any.pb.h>

#include <algorithm>
#include <string>

#include "server/errors/utf8.h"

namespace torqued::server {
namespace {

// grpc-message is percent-encoded: up to three times as long on the wire.
constexpr std::size_t kMaxMessageBytes = 512;
constexpr std::size_t kMaxMetadataEntries = 12;
constexpr std::size_t kMaxMetadataKeyBytes = 64;
constexpr std::size_t kMaxMetadataValueBytes = 512;
constexpr std::size_t kMaxMetadataBytes = 1536;
constexpr std::size_t kMaxFieldBytes = 192;
constexpr std::size_t kMaxDescriptionBytes = 384;
// The type URLs, the tags and lengths around the details, RetryInfo and the
// count of violations.
constexpr std::size_t kEnvelopeBytes = 400;

void Pack(const google::protobuf::Message& message, std::string_view name,
          v1::Status* status) {
  google::protobuf::Any* any = status->add_details();
  any->set_type_url("type.googleapis.com/google.rpc." + std::string(name));
  message.SerializeToString(any->mutable_value());
}

v1::ErrorInfo ErrorInfoOf(const Error& error) {
  v1::ErrorInfo info;
  info.set_reason(v1::Reason_Name(error.reason));
  info.set_domain("torqued");
  std::size_t bytes = 0;
  for (const auto& [key, value] : error.metadata) {
    if (info.metadata_size() == kMaxMetadataEntries) break;
    std::string clean_key = CleanText(key, kMaxMetadataKeyBytes);
    std::string clean_value = CleanText(value, kMaxMetadataValueBytes);
    bytes += clean_key.size() + clean_value.size() + 8;
    if (bytes > kMaxMetadataBytes) break;
    (*info.mutable_metadata())[std::move(clean_key)] = std::move(clean_value);
  }
  return info;
}

/// The first violations that take less than `budget` bytes together.
v1::BadRequest BadRequestOf(const Error& error, std::size_t budget) {
  v1::BadRequest bad;
  std::size_t bytes = 0;
  for (const Violation& violation : error.violations) {
    v1::BadRequest::FieldViolation listed;
    listed.set_field(CleanText(violation.field, kMaxFieldBytes));
    listed.set_description(
        CleanText(violation.description, kMaxDescriptionBytes));
    bytes += listed.ByteSizeLong() + 4;  // with its tag and length
    if (bytes >= budget) break;
    *bad.add_field_violations() = std::move(listed);
  }
  return bad;
}

v1::RetryInfo RetryInfoOf(std::chrono::milliseconds delay) {
  v1::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(delay.count() / 1000);
  retry.mutable_retry_delay()->set_nanos(
      static_cast<int>(delay.count() % 1000) * 1'000'000);
  return retry;
}

}  // namespace

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

grpc::StatusCode CodeOf(v1::Reason reason) {
  switch (reason) {
    case v1::MODEL_NOT_FOUND:
      return grpc::StatusCode::NOT_FOUND;
    case v1::MODEL_BROKEN:
    case v1::REVISION_CONFLICT:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case v1::INVALID_MODEL_REFERENCE:
    case v1::AMBIGUOUS_REVISION:
    case v1::INVALID_MODEL:
    case v1::INVALID_MODEL_NAME:
    case v1::WRONG_COLUMN_COUNT:
    case v1::WRONG_ROW_COUNT:
    case v1::MALFORMED_ARRAY:
    case v1::MISSING_INPUT:
    case v1::WRONG_JOINT_NAMES:
    case v1::UNKNOWN_FRAME:
    case v1::TIP_FRAME_REQUIRED:
    case v1::INVALID_OPTION:
    case v1::ROW_FAILED:
    case v1::INVALID_FIELD:
    case v1::INVALID_SAMPLE:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case v1::REQUEST_TOO_LARGE:
    case v1::OVERLOADED:
    case v1::QUOTA_REACHED:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case v1::UNAUTHENTICATED:
      return grpc::StatusCode::UNAUTHENTICATED;
    case v1::PERMISSION_DENIED:
    case v1::READ_ONLY:
      return grpc::StatusCode::PERMISSION_DENIED;
    case v1::DRAINING:
    case v1::STORE_UNAVAILABLE:
      return grpc::StatusCode::UNAVAILABLE;
    case v1::INTERNAL_ERROR:
    case v1::REASON_UNSPECIFIED:
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

grpc::Status ToStatus(const Error& error) {
  const grpc::StatusCode code = CodeOf(error.reason);
  v1::Status details;
  details.set_code(code);
  details.set_message(CleanText(error.message, kMaxMessageBytes));

  v1::ErrorInfo info = ErrorInfoOf(error);
  const std::size_t used =
      details.ByteSizeLong() + info.ByteSizeLong() + kEnvelopeBytes;
  const v1::BadRequest bad = BadRequestOf(error, kMaxDetailsBytes - used);
  const auto total = error.violations.size();
  if (static_cast<std::size_t>(bad.field_violations_size()) < total) {
    (*info.mutable_metadata())["violations"] = std::to_string(total);
  }

  Pack(info, "ErrorInfo", &details);
  if (bad.field_violations_size() > 0) Pack(bad, "BadRequest", &details);
  if (error.retry_after) {
    Pack(RetryInfoOf(*error.retry_after), "RetryInfo", &details);
  }
  return {code, details.message(), details.SerializeAsString()};
}

}  // namespace torqued::server
