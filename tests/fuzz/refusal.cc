#include "tests/fuzz/refusal.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "server/errors/error.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Reasons that come with a field of the request.
const std::set<v1::Reason> kNamesField = {
    v1::INVALID_MODEL_REFERENCE, v1::INVALID_MODEL,      v1::INVALID_MODEL_NAME,
    v1::REVISION_CONFLICT,       v1::WRONG_COLUMN_COUNT, v1::WRONG_ROW_COUNT,
    v1::MALFORMED_ARRAY,         v1::MISSING_INPUT,      v1::WRONG_JOINT_NAMES,
    v1::UNKNOWN_FRAME,           v1::TIP_FRAME_REQUIRED, v1::INVALID_OPTION,
    v1::INVALID_SAMPLE,          v1::INVALID_FIELD};

/// Reasons that come with an entry of the metadata.
const std::map<v1::Reason, std::string> kNamesMetadata = {
    {v1::AMBIGUOUS_REVISION, "candidates"},
    {v1::MODEL_BROKEN, "revision"},
    {v1::TIP_FRAME_REQUIRED, "candidates"},
    {v1::ROW_FAILED, "row"},
    {v1::INVALID_SAMPLE, "row"},
    {v1::REQUEST_TOO_LARGE, "limit"},
    {v1::OVERLOADED, "limit"},
    {v1::QUOTA_REACHED, "limit"}};

bool IsWholeNumber(std::string_view text, int* number) {
  const auto parsed = std::from_chars(text.begin(), text.end(), *number);
  return parsed.ec == std::errc() && parsed.ptr == text.end() && *number >= 0;
}

/// Whether "a.b[3].c" or "source:7" leads to a field.
bool IsField(const Message& message, std::string_view path) {
  const std::size_t dot = path.find('.');
  std::string_view part = path.substr(0, dot);
  int number = -1;
  if (part.ends_with(']')) {
    const std::size_t open = part.find('[');
    if (open == std::string_view::npos ||
        !IsWholeNumber(part.substr(open + 1, part.size() - open - 2),
                       &number)) {
      return false;
    }
    part = part.substr(0, open);
  } else if (const std::size_t colon = part.find(':');
             colon != std::string_view::npos) {
    int line = 0;
    if (!IsWholeNumber(part.substr(colon + 1), &line)) return false;
    part = part.substr(0, colon);
    return part == "source" &&
           message.GetDescriptor()->FindFieldByName("source") != nullptr;
  }
  const FieldDescriptor* field =
      message.GetDescriptor()->FindFieldByName(std::string(part));
  if (field == nullptr) return false;
  const auto* reflection = message.GetReflection();
  if (number >= 0 && (!field->is_repeated() ||
                      number >= reflection->FieldSize(message, field))) {
    return false;
  }
  if (dot == std::string_view::npos) return true;
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return false;
  const std::string_view rest = path.substr(dot + 1);
  if (!field->is_repeated()) {
    return IsField(reflection->GetMessage(message, field), rest);
  }
  return number >= 0 &&
         IsField(reflection->GetRepeatedMessage(message, field, number), rest);
}

void CheckViolations(const server::Error& error, const Message& request) {
  FUZZ_REQUIRE(!kNamesField.contains(error.reason) || !error.violations.empty(),
               error.message);
  for (const server::Violation& violation : error.violations) {
    FUZZ_REQUIRE(IsField(request, violation.field),
                 violation.field + ": " + violation.description);
    FUZZ_REQUIRE(!violation.description.empty(), violation.field);
  }
  if (const auto named = kNamesMetadata.find(error.reason);
      named != kNamesMetadata.end()) {
    FUZZ_REQUIRE(std::any_of(error.metadata.begin(), error.metadata.end(),
                             [&](const auto& entry) {
                               return entry.first == named->second &&
                                      !entry.second.empty();
                             }),
                 error.message);
  }
}

/// What a client sees of it.
void CheckStatus(const server::Error& error) {
  const grpc::Status status = server::ToStatus(error);
  const std::string text = status.error_message();
  FUZZ_REQUIRE(!status.ok() && status.error_code() != grpc::INTERNAL, text);
  FUZZ_REQUIRE(!text.empty() && text.size() <= 512, text);
  FUZZ_REQUIRE(FindInvalidUtf8(text) == std::string_view::npos, text);
  const std::string bytes = status.error_details();
  FUZZ_REQUIRE(bytes.size() < server::kMaxDetailsBytes, text);

  v1::Status details;
  FUZZ_REQUIRE(details.ParseFromString(bytes), text);
  FUZZ_REQUIRE(details.code() == status.error_code(), text);
  FUZZ_REQUIRE(details.message() == text, text);
  v1::ErrorInfo info;
  v1::BadRequest bad_request;
  for (const auto& detail : details.details()) {
    if (detail.type_url().ends_with(".ErrorInfo")) {
      FUZZ_REQUIRE(info.ParseFromString(detail.value()), text);
    } else if (detail.type_url().ends_with(".BadRequest")) {
      FUZZ_REQUIRE(bad_request.ParseFromString(detail.value()), text);
    }
  }
  FUZZ_REQUIRE(info.reason() == v1::Reason_Name(error.reason), text);
  FUZZ_REQUIRE(
      (bad_request.field_violations_size() > 0) == !error.violations.empty(),
      text);
}

}  // namespace

void CheckRefusal(const server::Error& error, const Message& request) {
  FUZZ_REQUIRE(v1::Reason_IsValid(error.reason), error.message);
  FUZZ_REQUIRE(error.reason != v1::REASON_UNSPECIFIED &&
                   error.reason != v1::INTERNAL_ERROR &&
                   error.reason != v1::STORE_UNAVAILABLE,
               error.message);
  FUZZ_REQUIRE(!error.message.empty(), v1::Reason_Name(error.reason));
  CheckViolations(error, request);
  CheckStatus(error);
}

}  // namespace torqued::fuzz
