#include "core/model/lint.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/model/text.h"

namespace torqued {
namespace {

// A name may be as long as names are accepted; a message names at most a
// handful of quoted values.
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kMessageBytes = 2000;
// So that places, with two names each, do not outweigh the findings.
constexpr std::size_t kFindingsWithPlaces = 200;

// One byte more than is kept shows that there was more.
std::string Cut(std::string_view name) {
  return std::string(name.substr(0, kNameBytes + 1));
}

std::string Key(Severity severity, LintCode code, std::string_view kind) {
  std::string key{static_cast<char>(severity), static_cast<char>(code)};
  key += kind;
  return key;
}

}  // namespace

std::string_view ToString(LintCode code) {
  switch (code) {
    case LintCode::kMalformedXml:
      return "malformed-xml";
    case LintCode::kSourceTooLarge:
      return "source-too-large";
    case LintCode::kTooManyLinks:
      return "too-many-links";
    case LintCode::kTooManyJoints:
      return "too-many-joints";
    case LintCode::kNotARobot:
      return "not-a-robot";
    case LintCode::kXacroNotExpanded:
      return "xacro-not-expanded";
    case LintCode::kInvalidNumber:
      return "invalid-number";
    case LintCode::kInvalidPose:
      return "invalid-pose";
    case LintCode::kMissingAttribute:
      return "missing-attribute";
    case LintCode::kMissingElement:
      return "missing-element";
    case LintCode::kUnsupportedAttribute:
      return "unsupported-attribute";
    case LintCode::kInvalidName:
      return "invalid-name";
    case LintCode::kDuplicateName:
      return "duplicate-name";
    case LintCode::kUnknownLink:
      return "unknown-link";
    case LintCode::kUnknownJointType:
      return "unknown-joint-type";
    case LintCode::kUnsupportedJoint:
      return "unsupported-joint";
    case LintCode::kTwoParents:
      return "two-parents";
    case LintCode::kSeveralRoots:
      return "several-roots";
    case LintCode::kCycle:
      return "cycle";
    case LintCode::kUnreachableLink:
      return "unreachable-link";
    case LintCode::kZeroAxis:
      return "zero-axis";
    case LintCode::kNegativeMass:
      return "negative-mass";
    case LintCode::kNegativeInertia:
      return "negative-inertia";
    case LintCode::kInvalidInertia:
      return "invalid-inertia";
    case LintCode::kMasslessJoint:
      return "massless-joint";
    case LintCode::kInvalidLimit:
      return "invalid-limit";
    case LintCode::kNegativeFriction:
      return "negative-friction";
    case LintCode::kUnknownMimicTarget:
      return "unknown-mimic-target";
    case LintCode::kUnknownTip:
      return "unknown-tip";
    case LintCode::kTriangleInequality:
      return "triangle-inequality";
    case LintCode::kNonUnitAxis:
      return "non-unit-axis";
    case LintCode::kMissingLimit:
      return "missing-limit";
    case LintCode::kIgnoredElement:
      return "ignored-element";
    case LintCode::kIgnoredAttribute:
      return "ignored-attribute";
    case LintCode::kIllConditionedMass:
      return "ill-conditioned-mass";
    case LintCode::kMimicIndependent:
      return "mimic-independent";
    case LintCode::kFrictionOffByDefault:
      return "friction-off-by-default";
    case LintCode::kFixedMass:
      return "fixed-mass";
    case LintCode::kTransmissionRead:
      return "transmission-read";
  }
  return "unknown";
}

std::string_view ToString(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "unknown";
}

Severity DefaultSeverity(LintCode code) {
  // The enumerators stand in order of severity.
  if (code >= LintCode::kMimicIndependent) return Severity::kInfo;
  if (code >= LintCode::kTriangleInequality) return Severity::kWarning;
  return Severity::kError;
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

void LintReport::Add(LintCode code, const Place& place, std::string message) {
  Add(Finding{.severity = DefaultSeverity(code),
              .code = code,
              .joint = Cut(place.joint),
              .link = Cut(place.link),
              .line = place.line,
              .message = std::move(message)});
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
  Add(Finding{.severity = severity,
              .code = code,
              .joint = Cut(place.joint),
              .link = Cut(place.link),
              .line = place.line,
              .message = std::move(message)});
}

void LintReport::Sort() {
  // By index, so that equals stay as added.
  std::vector<std::size_t> order(findings_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const Finding& a = findings_[i];
    const Finding& b = findings_[j];
    if (a.severity != b.severity) return a.severity > b.severity;
    if ((a.line == 0) != (b.line == 0)) return b.line == 0;
    if (a.line != b.line) return a.line < b.line;
    return i < j;
  });
  std::vector<Finding> sorted;
  sorted.reserve(findings_.size());
  for (const std::size_t i : order) sorted.push_back(std::move(findings_[i]));
  findings_ = std::move(sorted);
  kinds_.clear();  // its indices are those from before
}

}  // namespace torqued
