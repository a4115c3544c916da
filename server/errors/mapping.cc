#include "server/errors/mapping.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "core/formats/urdf.h"
#include "server/flags/near_names.h"

namespace torqued::server {
namespace {

// Candidates in full are 64 digits each; more would not help a person.
constexpr std::size_t kListedCandidates = 7;
// Of a model's names these many are compared with one that it does not have.
constexpr std::size_t kNamesLookedAt = 1000;
constexpr std::chrono::milliseconds kStoreRetry{1000};

std::string Join(const std::vector<std::string>& parts, std::size_t at_most) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size() && i < at_most; ++i) {
    if (i > 0) joined += ",";
    joined += parts[i];
  }
  return joined;
}

/// What may have been meant: the first few, and how many there are.
void AddCandidates(const std::vector<std::string>& candidates, Error* error) {
  error->metadata.emplace_back("candidates",
                               Join(candidates, kListedCandidates));
  error->metadata.emplace_back("candidate_count",
                               std::to_string(candidates.size()));
}

/// Ends the sentence about a name that the model does not have with the nearest
/// that it has; these alone are candidates then.
void NameNearest(ArgumentError* argument) {
  const std::span<const std::string> known =
      std::span<const std::string>(argument->candidates)
          .first(std::min(argument->candidates.size(), kNamesLookedAt));
  std::vector<std::string> near = flags::NearNames(argument->wanted, known);
  const std::string hint = flags::NameHint(near, known);
  std::string& message = argument->message;
  if (!hint.empty() && message.ends_with('.')) message.pop_back();
  message += hint;
  if (!near.empty()) argument->candidates = std::move(near);
}

Violation ToViolation(const Finding& finding) {
  Violation violation;
  violation.field = "source";
  if (finding.code == LintCode::kUnknownTip) {
    violation.field = "options.default_tip";
  } else if (finding.line > 0) {
    violation.field.append(":").append(std::to_string(finding.line));
  }
  violation.description.append(ToString(finding.code))
      .append(": ")
      .append(finding.message);
  return violation;
}

/// Of a model that is as it should be but lacks the tip that it is asked for;
/// null otherwise.
const Finding* UnknownTip(const LintReport& report) {
  if (report.errors() != 1) return nullptr;
  for (const Finding& finding : report.findings()) {
    if (finding.code == LintCode::kUnknownTip) return &finding;
  }
  return nullptr;
}

}  // namespace

v1::Reason ReasonOf(ArgumentError::Code code) {
  switch (code) {
    case ArgumentError::Code::kWrongColumnCount:
      return v1::WRONG_COLUMN_COUNT;
    case ArgumentError::Code::kWrongRowCount:
      return v1::WRONG_ROW_COUNT;
    case ArgumentError::Code::kMissingInput:
      return v1::MISSING_INPUT;
    case ArgumentError::Code::kWrongJointNames:
      return v1::WRONG_JOINT_NAMES;
    case ArgumentError::Code::kUnknownFrame:
      return v1::UNKNOWN_FRAME;
    case ArgumentError::Code::kTipFrameRequired:
      return v1::TIP_FRAME_REQUIRED;
    case ArgumentError::Code::kInvalidOption:
      return v1::INVALID_OPTION;
    case ArgumentError::Code::kInvalidSample:
      return v1::INVALID_SAMPLE;
  }
  return v1::INTERNAL_ERROR;
}

v1::Reason ReasonOf(RegistryError::Code code) {
  switch (code) {
    case RegistryError::Code::kNotFound:
      return v1::MODEL_NOT_FOUND;
    case RegistryError::Code::kInvalidReference:
      return v1::INVALID_MODEL_REFERENCE;
    case RegistryError::Code::kAmbiguous:
      return v1::AMBIGUOUS_REVISION;
    case RegistryError::Code::kInvalidModel:
      return v1::INVALID_MODEL;
    case RegistryError::Code::kInvalidName:
      return v1::INVALID_MODEL_NAME;
    case RegistryError::Code::kConflict:
      return v1::REVISION_CONFLICT;
    case RegistryError::Code::kTooLarge:
      return v1::REQUEST_TOO_LARGE;
    case RegistryError::Code::kQuota:
      return v1::QUOTA_REACHED;
    case RegistryError::Code::kNotAdmitted:
      return v1::OVERLOADED;
    case RegistryError::Code::kStoreUnavailable:
      return v1::STORE_UNAVAILABLE;
  }
  return v1::INTERNAL_ERROR;
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
  if (argument.row >= 0) {
    error.metadata.emplace_back("row", std::to_string(argument.row));
  }
  if (!argument.joint.empty()) {
    error.metadata.emplace_back("joint", argument.joint);
  }
  if (!argument.candidates.empty()) {
    AddCandidates(argument.candidates, &error);
  }
  return error;
}

Error ToError(const RegistryError& registry) {
  Error error;
  error.reason = ReasonOf(registry.code);
  // Neither a model reference nor a model's name.
  if (registry.field == "page_token" || registry.field == "label") {
    error.reason = v1::INVALID_FIELD;
  }
  error.message = registry.message;
  if (const Finding* tip = UnknownTip(registry.report)) {
    error.reason = v1::UNKNOWN_FRAME;
    error.message = tip->message;
  }
  // A refused model's violations are its findings.
  if (!registry.field.empty() &&
      registry.code != RegistryError::Code::kInvalidModel) {
    error.violations.push_back({registry.field, registry.message});
  }
  switch (registry.code) {
    case RegistryError::Code::kAmbiguous:
      AddCandidates(registry.candidates, &error);
      break;
    case RegistryError::Code::kConflict:
      error.metadata.emplace_back("current", Join(registry.candidates, 1));
      break;
    case RegistryError::Code::kInvalidModel:
      error.metadata.emplace_back("errors",
                                  std::to_string(registry.report.errors()));
      for (const Finding& finding : registry.report.findings()) {
        if (finding.severity == Severity::kError) {
          error.violations.push_back(ToViolation(finding));
        }
      }
      break;
    case RegistryError::Code::kTooLarge:
      error.metadata.emplace_back("limit",
                                  std::to_string(UrdfLimits{}.source_bytes));
      break;
    case RegistryError::Code::kQuota:
      error.metadata.emplace_back("limit", std::to_string(registry.limit));
      if (!registry.setting.empty()) {
        error.metadata.emplace_back("setting", registry.setting);
      }
      break;
    case RegistryError::Code::kNotAdmitted:
    case RegistryError::Code::kStoreUnavailable:
      error.retry_after = kStoreRetry;
      break;
    default:
      break;
  }
  return error;
}

Error BrokenModel(const ModelEntry& entry) {
  Error error;
  error.reason = v1::MODEL_BROKEN;
  error.message = "The stored model cannot be used: " + entry.loaded->problem;
  error.metadata = {{"revision", entry.loaded->revision}};
  return error;
}

}  // namespace torqued::server
