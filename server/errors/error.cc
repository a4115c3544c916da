#include "server/errors/error.h"

#include <absl/strings/str_join.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/base/text.h"
#include "core/engine/evaluation.h"
#include "core/formats/urdf.h"
#include "server/flags/near_names.h"
#include "server/registry/registry.h"

namespace torqued::server {
namespace {

// grpc-message is percent-encoded: up to three times as long on the wire.
constexpr std::size_t kMaxMessageBytes = 512;
constexpr std::size_t kMaxMetadataValueBytes = 512;
constexpr std::size_t kMaxMetadataBytes = 1536;
constexpr std::size_t kMaxFieldBytes = 192;
constexpr std::size_t kMaxDescriptionBytes = 384;
// Type URLs, tags and lengths of details, RetryInfo, the violations' count.
constexpr std::size_t kEnvelopeBytes = 400;

void Pack(const google::protobuf::Message& message, std::string_view name,
          v1::Status* status) {
  google::protobuf::Any* any = status->add_details();
  any->set_type_url("type.googleapis.com/google.rpc." + std::string(name));
  message.SerializeToString(any->mutable_value());
}

/// The first violations that take less than `budget` bytes together.
v1::BadRequest BadRequestOf(const Error& error, std::size_t budget) {
  v1::BadRequest bad;
  for (const Violation& violation : error.violations) {
    auto* listed = bad.add_field_violations();
    listed->set_field(CleanText(violation.field, kMaxFieldBytes));
    listed->set_description(
        CleanText(violation.description, kMaxDescriptionBytes));
    if (bad.ByteSizeLong() < budget) continue;
    bad.mutable_field_violations()->RemoveLast();
    break;
  }
  return bad;
}

// Candidates in full are 64 digits each; more would not help a person.
constexpr std::size_t kListedCandidates = 7;
constexpr std::chrono::milliseconds kStoreRetry{1000};

void Add(Error* error, const char* key, std::string_view value) {
  error->metadata.emplace_back(key, value);
}

void AddCandidates(const std::vector<std::string>& candidates, Error* error) {
  const auto few = std::span(candidates)
                       .first(std::min(candidates.size(), kListedCandidates));
  Add(error, "candidates", absl::StrJoin(few, ","));
  Add(error, "candidate_count", std::to_string(candidates.size()));
}

/// Ends the sentence about a name that the model does not have with the nearest
/// that it has; these alone are candidates then.
void NameNearest(ArgumentError* argument) {
  std::vector<std::string>& known = argument->candidates;
  std::vector<std::string> near = flags::NearNames(argument->wanted, known);
  const std::string hint = flags::NameHint(near, known);
  std::string& message = argument->message;
  if (!hint.empty() && message.ends_with('.')) message.pop_back();
  message += hint;
  if (!near.empty()) known = std::move(near);
}

Violation ToViolation(const Finding& finding) {
  std::string field = "source";
  if (finding.code == LintCode::kUnknownTip) {
    field = "options.default_tip";
  } else if (finding.line > 0) {
    field += ":" + std::to_string(finding.line);
  }
  return {std::move(field), Cat(ToString(finding.code), ": ", finding.message)};
}

/// Of a model that lacks the tip that it is asked for, and nothing else.
const Finding* UnknownTip(const LintReport& report) {
  const auto found = std::ranges::find(report.findings(), LintCode::kUnknownTip,
                                       &Finding::code);
  return report.errors() == 1 && found != report.findings().end() ? &*found
                                                                  : nullptr;
}

v1::Reason ReasonOf(ArgumentError::Code code) {
  using enum ArgumentError::Code;
  static const std::map<ArgumentError::Code, v1::Reason> reasons = {
      {kWrongColumnCount, v1::WRONG_COLUMN_COUNT},
      {kWrongRowCount, v1::WRONG_ROW_COUNT},
      {kMissingInput, v1::MISSING_INPUT},
      {kWrongJointNames, v1::WRONG_JOINT_NAMES},
      {kUnknownFrame, v1::UNKNOWN_FRAME},
      {kTipFrameRequired, v1::TIP_FRAME_REQUIRED},
      {kInvalidOption, v1::INVALID_OPTION},
      {kInvalidSample, v1::INVALID_SAMPLE}};
  return reasons.at(code);
}

v1::Reason ReasonOf(RegistryError::Code code) {
  using enum RegistryError::Code;
  static const std::map<RegistryError::Code, v1::Reason> reasons = {
      {kNotFound, v1::MODEL_NOT_FOUND},
      {kInvalidReference, v1::INVALID_MODEL_REFERENCE},
      {kAmbiguous, v1::AMBIGUOUS_REVISION},
      {kInvalidModel, v1::INVALID_MODEL},
      {kInvalidName, v1::INVALID_MODEL_NAME},
      {kConflict, v1::REVISION_CONFLICT},
      {kTooLarge, v1::REQUEST_TOO_LARGE},
      {kQuota, v1::QUOTA_REACHED},
      {kNotAdmitted, v1::OVERLOADED},
      {kStoreUnavailable, v1::STORE_UNAVAILABLE}};
  return reasons.at(code);
}

}  // namespace

Error FieldError(v1::Reason reason, std::string field, std::string message) {
  Error error = MakeError(reason, field + ": " + message);
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

Error ToError(ArgumentError argument, std::string_view tip_wrench_array) {
  if (!argument.wanted.empty()) NameNearest(&argument);
  std::string field = argument.field;
  if (field == ToString(Input::kTipWrench) &&
      (argument.code == ArgumentError::Code::kWrongColumnCount ||
       argument.code == ArgumentError::Code::kWrongRowCount)) {
    field = tip_wrench_array;
  }
  Error error =
      FieldError(ReasonOf(argument.code), std::move(field), argument.message);
  if (argument.row >= 0) Add(&error, "row", std::to_string(argument.row));
  if (!argument.joint.empty()) Add(&error, "joint", argument.joint);
  if (!argument.candidates.empty()) AddCandidates(argument.candidates, &error);
  return error;
}

Error ToError(const RegistryError& registry) {
  using enum RegistryError::Code;
  Error error;
  error.reason = ReasonOf(registry.code);
  // Neither a model reference nor a model's name.
  if (registry.field == "page_token" || registry.field == "label") {
    error.reason = v1::INVALID_FIELD;
  }
  error.message = registry.message;
  error.hint = registry.hint;
  if (const Finding* tip = UnknownTip(registry.report)) {
    error.reason = v1::UNKNOWN_FRAME;
    error.message = tip->message;
  }
  const RegistryError::Code code = registry.code;
  if (code == kInvalidModel) {
    Add(&error, "errors", std::to_string(registry.report.errors()));
    for (const Finding& finding : registry.report.findings()) {
      if (finding.severity != Severity::kError) continue;
      error.violations.push_back(ToViolation(finding));
    }
  } else if (!registry.field.empty()) {
    error.violations.push_back({registry.field, registry.message});
  }
  if (code == kAmbiguous) AddCandidates(registry.candidates, &error);
  if (code == kConflict) {
    Add(&error, "current",
        registry.candidates.empty() ? "" : registry.candidates[0]);
  }
  if (code == kTooLarge) {
    Add(&error, "limit", std::to_string(UrdfLimits{}.source_bytes));
  }
  if (code == kQuota) Add(&error, "limit", std::to_string(registry.limit));
  if (!registry.setting.empty()) Add(&error, "setting", registry.setting);
  if (code == kNotAdmitted || code == kStoreUnavailable) {
    error.retry_after = kStoreRetry;
  }
  return error;
}

Error BrokenModel(const ModelEntry& entry) {
  return MakeError(v1::MODEL_BROKEN,
                   "The stored model cannot be used: " + entry.loaded->problem,
                   {{"revision", entry.loaded->revision}});
}

grpc::StatusCode CodeOf(v1::Reason reason) {
  const int code = v1::Reason_descriptor()
                       ->FindValueByNumber(reason)
                       ->options()
                       .GetExtension(v1::reason_info)
                       .code();
  return code == 0 ? grpc::StatusCode::INTERNAL
                   : static_cast<grpc::StatusCode>(code);
}

grpc::Status ToStatus(const Error& error) {
  const grpc::StatusCode code = CodeOf(error.reason);
  v1::Status details;
  details.set_code(code);
  details.set_message(CleanText(error.message, kMaxMessageBytes));

  v1::ErrorInfo info;
  info.set_reason(v1::Reason_Name(error.reason));
  info.set_domain("torqued");
  std::size_t bytes = 0;
  for (const auto& [key, value] : error.metadata) {
    std::string clean = CleanText(value, kMaxMetadataValueBytes);
    bytes += key.size() + clean.size() + 8;
    if (bytes > kMaxMetadataBytes) break;
    (*info.mutable_metadata())[key] = std::move(clean);
  }
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
    v1::RetryInfo retry;
    *retry.mutable_retry_delay() =
        google::protobuf::util::TimeUtil::MillisecondsToDuration(
            error.retry_after->count());
    Pack(retry, "RetryInfo", &details);
  }
  return {code, details.message(), details.SerializeAsString()};
}

std::string CleanText(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD", kCut = "...";
  // Enough to see that it is too long, with a character that this cuts.
  text = text.substr(0, max_bytes + 4);
  std::string clean;
  while (!text.empty()) {
    const std::size_t valid = std::min(FindInvalidUtf8(text), text.size());
    clean.append(text, 0, valid);
    if (valid < text.size()) clean.append(kReplacement);
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  if (clean.size() <= max_bytes) return clean;
  std::size_t end = max_bytes - kCut.size();
  while (end > 0 && (clean[end] & 0xC0) == 0x80) --end;
  return clean.substr(0, end).append(kCut);
}

}  // namespace torqued::server
