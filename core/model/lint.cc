#include "core/model/lint.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/text.h"

namespace torqued {
namespace {

constexpr std::string_view kNames[] = {
#define TORQUED_LINT_CODE(code, name, severity) name,
#include "core/model/lint_codes.def"
};
constexpr Severity kDefaults[] = {
#define TORQUED_LINT_CODE(code, name, severity) Severity::severity,
#include "core/model/lint_codes.def"
};

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
  return kNames[static_cast<std::size_t>(code)];
}

std::string_view ToString(Severity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

Severity DefaultSeverity(LintCode code) {
  return kDefaults[static_cast<std::size_t>(code)];
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
