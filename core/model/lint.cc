#include "core/model/lint.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/text.h"

namespace torqued {
namespace {

struct Row {
  LintCode code;
  std::string_view name;
  Severity severity;
};

// By code.
constexpr Row kRows[] = {
    {LintCode::kMalformedXml, "malformed-xml", Severity::kError},
    {LintCode::kSourceTooLarge, "source-too-large", Severity::kError},
    {LintCode::kTooManyLinks, "too-many-links", Severity::kError},
    {LintCode::kTooManyJoints, "too-many-joints", Severity::kError},
    {LintCode::kNotARobot, "not-a-robot", Severity::kError},
    {LintCode::kXacroNotExpanded, "xacro-not-expanded", Severity::kError},
    {LintCode::kInvalidNumber, "invalid-number", Severity::kError},
    {LintCode::kInvalidPose, "invalid-pose", Severity::kError},
    {LintCode::kMissingAttribute, "missing-attribute", Severity::kError},
    {LintCode::kMissingElement, "missing-element", Severity::kError},
    {LintCode::kUnsupportedAttribute, "unsupported-attribute",
     Severity::kError},
    {LintCode::kInvalidName, "invalid-name", Severity::kError},
    {LintCode::kDuplicateName, "duplicate-name", Severity::kError},
    {LintCode::kUnknownLink, "unknown-link", Severity::kError},
    {LintCode::kUnknownJointType, "unknown-joint-type", Severity::kError},
    {LintCode::kUnsupportedJoint, "unsupported-joint", Severity::kError},
    {LintCode::kTwoParents, "two-parents", Severity::kError},
    {LintCode::kSeveralRoots, "several-roots", Severity::kError},
    {LintCode::kCycle, "cycle", Severity::kError},
    {LintCode::kUnreachableLink, "unreachable-link", Severity::kError},
    {LintCode::kZeroAxis, "zero-axis", Severity::kError},
    {LintCode::kNegativeMass, "negative-mass", Severity::kError},
    {LintCode::kNegativeInertia, "negative-inertia", Severity::kError},
    {LintCode::kInvalidInertia, "invalid-inertia", Severity::kError},
    {LintCode::kMasslessJoint, "massless-joint", Severity::kError},
    {LintCode::kInvalidLimit, "invalid-limit", Severity::kError},
    {LintCode::kNegativeFriction, "negative-friction", Severity::kError},
    {LintCode::kUnknownMimicTarget, "unknown-mimic-target", Severity::kError},
    {LintCode::kUnknownTip, "unknown-tip", Severity::kError},
    {LintCode::kTriangleInequality, "triangle-inequality", Severity::kWarning},
    {LintCode::kNonUnitAxis, "non-unit-axis", Severity::kWarning},
    {LintCode::kMissingLimit, "missing-limit", Severity::kWarning},
    {LintCode::kIgnoredElement, "ignored-element", Severity::kWarning},
    {LintCode::kIgnoredAttribute, "ignored-attribute", Severity::kWarning},
    {LintCode::kIllConditionedMass, "ill-conditioned-mass", Severity::kWarning},
    {LintCode::kMimicIndependent, "mimic-independent", Severity::kInfo},
    {LintCode::kFrictionOffByDefault, "friction-off-by-default",
     Severity::kInfo},
    {LintCode::kFixedMass, "fixed-mass", Severity::kInfo},
    {LintCode::kTransmissionRead, "transmission-read", Severity::kInfo},
};
static_assert(std::size(kRows) == kLintCodeCount &&
              std::ranges::is_sorted(kRows, {}, &Row::code));

constexpr std::string_view kSeverities[] = {"info", "warning", "error"};
constexpr std::string_view kValidations[] = {"default", "strict", "lenient"};

// A name may be as long as names are accepted; a message names at most a
// handful of quoted values.
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kMessageBytes = 2000;
// Only these have further places, which may take more memory than a finding.
constexpr std::size_t kFindingsWithPlaces = 200;

Finding MakeFinding(Severity severity, LintCode code, const Place& place,
                    std::string message) {
  // One byte more than is kept shows that there was more.
  const auto cut = [](std::string_view name) {
    return std::string(name.substr(0, kNameBytes + 1));
  };
  return {.severity = severity,
          .code = code,
          .joint = cut(place.joint),
          .link = cut(place.link),
          .line = place.line,
          .message = std::move(message)};
}

std::string Key(Severity severity, LintCode code, std::string_view kind) {
  std::string key{static_cast<char>(severity), static_cast<char>(code)};
  key += kind;
  return key;
}

}  // namespace

std::string_view ToString(LintCode code) {
  return kRows[static_cast<std::size_t>(code)].name;
}

std::string_view ToString(Severity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

Severity DefaultSeverity(LintCode code) {
  return kRows[static_cast<std::size_t>(code)].severity;
}

std::string_view ToString(Validation validation) {
  return kValidations[static_cast<std::size_t>(validation)];
}

std::optional<Validation> FindValidation(std::string_view name) {
  const auto* found = std::ranges::find(kValidations, name);
  if (found == std::end(kValidations)) return std::nullopt;
  return static_cast<Validation>(found - kValidations);
}

void LintReport::Add(Finding finding) {
  const bool full = Full(finding.severity);
  const auto severity = static_cast<int>(finding.severity);
  counts_[severity] += finding.count;
  if (full) return;
  ++listed_[severity];
  finding.joint = Printable(finding.joint, kNameBytes);
  finding.link = Printable(finding.link, kNameBytes);
  finding.message = Printable(finding.message, kMessageBytes);
  findings_.push_back(std::move(finding));
}

void LintReport::AddMessage(LintCode code, const Place& place,
                            std::string message) {
  Add(MakeFinding(DefaultSeverity(code), code, place, std::move(message)));
}

bool LintReport::CountAgain(Severity severity, LintCode code,
                            const Place& place, std::string_view kind) {
  if (severity == Severity::kError) return false;
  const auto found = kinds_.find(Key(severity, code, kind));
  if (found == kinds_.end()) return false;
  Finding& first = findings_[found->second];
  ++first.count;
  ++counts_[static_cast<int>(severity)];
  if (first.more_places.size() < kMaxMorePlaces &&
      found->second < kFindingsWithPlaces) {
    first.more_places.push_back({.joint = Printable(place.joint, kNameBytes),
                                 .link = Printable(place.link, kNameBytes),
                                 .line = place.line});
  }
  return true;
}

void LintReport::AddFirst(Severity severity, LintCode code, const Place& place,
                          std::string_view kind, std::string message) {
  if (severity != Severity::kError && !Full(severity)) {
    kinds_.emplace(Key(severity, code, kind), findings_.size());
  }
  Add(MakeFinding(severity, code, place, std::move(message)));
}

void LintReport::Sort() {
  // With the index, so that equals stay as added.
  std::vector<std::tuple<int, bool, int, std::size_t>> order;
  order.reserve(findings_.size());
  for (const Finding& f : findings_) {
    order.emplace_back(-static_cast<int>(f.severity), f.line == 0, f.line,
                       order.size());
  }
  std::ranges::sort(order);
  std::vector<Finding> sorted;
  sorted.reserve(order.size());
  for (const auto& [severity, no_line, line, index] : order) {
    sorted.push_back(std::move(findings_[index]));
  }
  findings_ = std::move(sorted);
  kinds_.clear();  // its indices are those from before
}

}  // namespace torqued
