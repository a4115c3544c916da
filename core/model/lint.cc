#include "core/model/lint.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text.h"

namespace torqued {
namespace {

constexpr std::string_view kNames[] = {
#define TORQUED_NAME(code, name, severity) name,
    TORQUED_LINT_CODES(TORQUED_NAME)};
constexpr Severity kDefaults[] = {
#define TORQUED_SEVERITY(code, name, severity) Severity::severity,
    TORQUED_LINT_CODES(TORQUED_SEVERITY)};

constexpr std::string_view kSeverities[] = {"info", "warning", "error"};
constexpr std::string_view kValidations[] = {"default", "strict", "lenient"};

// A name may be as long as names are accepted; a message names at most a
// handful of quoted values.
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kMessageBytes = 2000;
// Only these have further places, which may take more memory than a finding.
constexpr std::size_t kFindingsWithPlaces = 200;

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

void LintReport::List(Severity severity, LintCode code, const Place& place,
                      std::string_view message) {
  const auto k = static_cast<std::size_t>(severity);
  ++counts_[k];
  if (listed_[k] == kMaxListed) return;
  ++listed_[k];
  findings_.push_back({.severity = severity,
                       .code = code,
                       .joint = Printable(place.joint, kNameBytes),
                       .link = Printable(place.link, kNameBytes),
                       .line = place.line,
                       .message = Printable(message, kMessageBytes)});
}

bool LintReport::CountAgain(Severity severity, LintCode code,
                            const Place& place, std::string_view kind) {
  if (severity == Severity::kError) return false;
  const auto k = static_cast<std::size_t>(severity);
  std::string key{static_cast<char>(severity), static_cast<char>(code)};
  key += kind;
  const auto found = kinds_.find(key);
  if (found == kinds_.end()) {
    if (listed_[k] < kMaxListed) {
      kinds_.emplace(std::move(key), findings_.size());
    }
    return false;
  }
  Finding& first = findings_[found->second];
  ++first.count;
  ++counts_[k];
  if (first.more_places.size() < kMaxMorePlaces &&
      found->second < kFindingsWithPlaces) {
    first.more_places.push_back({Printable(place.joint, kNameBytes),
                                 Printable(place.link, kNameBytes),
                                 place.line});
  }
  return true;
}

void LintReport::Sort() {
  // Equals stay as added.
  std::multimap<std::tuple<int, bool, int>, Finding> sorted;
  for (Finding& f : findings_) {
    const std::tuple key(-static_cast<int>(f.severity), f.line == 0, f.line);
    sorted.emplace(key, std::move(f));
  }
  findings_.clear();
  for (auto& [key, f] : sorted) findings_.push_back(std::move(f));
  kinds_.clear();  // its indices are those from before
}

}  // namespace torqued
