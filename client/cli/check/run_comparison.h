// Two runs side by side: is the later one worse?
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "client/cli/check/asked_difference.h"
#include "client/cli/message_json.h"

namespace torqued::cli {

/// What a number is, which decides on its words.
enum class NumberKind : std::uint8_t { kPlain, kLargestPayload, kSlowDown };

/// A number of both runs. Infinite ones are infinite; of no payload that passes
/// it is kNoPayload, of no pace an infinite slow-down.
struct ComparedNumber {
  std::string what;  // "panda_joint1: torque of its limit"
  double before = 0;
  double after = 0;
  NumberKind kind = NumberKind::kPlain;
  /// Whether the later one is worse, or better, by more than the tolerance and
  /// more than rounding.
  bool worse = false;
  bool better = false;
};

struct RunComparison {
  std::string before;  // names of the files
  std::string after;
  std::vector<AskedDifference> asked;
  bool passed_before = false;
  bool passes_after = false;
  std::vector<ComparedNumber> numbers;
  /// Of many files: those of one run alone, and those whose verdict changed.
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  std::vector<std::string> newly_failing;
  std::vector<std::string> newly_passing;
  std::vector<std::string> without_verdict;  // that had one before
  bool of_files = false;

  /// A limit is broken that was kept, a verdict is missing, or a number is
  /// worse by more than the tolerance.
  bool worse() const;
};

/// Of two summaries (--summary, --output json) of a file, or of two runs of
/// many
/// (--results, or their summaries): numbers are compared by name. `tolerance`
/// is relative. Throws DataError where the texts are neither, or not both of a
/// kind.
RunComparison CompareRuns(const std::string& before_name,
                          std::string_view before,
                          const std::string& after_name, std::string_view after,
                          double tolerance);

void PrintComparison(const RunComparison& comparison, std::ostream& out);
Json ComparisonJson(const RunComparison& comparison);
std::string ComparisonCsv(const RunComparison& comparison);

}  // namespace torqued::cli
