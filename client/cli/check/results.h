// Results of checks: kept as they come, so that a run can be resumed, and as
// text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/message_json.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// The result of a file begins with its name below the directory and with its
/// state when it was read: its "bytes" and the time when it was "modified", ns
/// since 1970. AddVerdict, or "error" as text, follows. Throws DataError.
Json StartResult(const std::filesystem::path& directory,
                 const std::string& file);
/// `severity` is the largest share of a limit that is used, or by which it is
/// exceeded, of `joint` (empty: no joint has a limit); `worst` is a sentence
/// about it. `largest_payload` is absent if none passes, `slow_down` if no pace
/// passes. Infinite numbers are the string "Infinity".
void AddVerdict(const v1::TrajectoryVerdict& verdict, Json* result);

bool HasVerdict(const Json& result);
bool Passes(const Json& result);
/// What fails by severity, then what passes, and last what has no verdict.
void RankWorstFirst(std::vector<Json>* results);

/// A text file of one JSON object a line: first what was asked, then a result
/// for each file; a later one replaces an earlier one. A last line without its
/// end does not count.
struct JournalContent {
  Json question;
  std::map<std::string, Json> results;  // by file
  std::uint64_t whole_bytes = 0;        // up to the end of the last line
};

/// Empty text has neither question nor results. Throws DataError naming `name`.
JournalContent ParseJournal(std::string_view text, const std::string& name);
bool LooksLikeJournal(std::string_view text);
/// The results of a list by file. Throws DataError naming `name`.
std::map<std::string, Json> ResultsByFile(const Json& list,
                                          const std::string& name);

/// A journal that this run writes, and no other one.
class ResultsJournal {
 public:
  /// Throws DataError if the file cannot be used, or is the journal of another
  /// question.
  ResultsJournal(const std::filesystem::path& path, const Json& question);
  ~ResultsJournal();
  ResultsJournal(const ResultsJournal&) = delete;
  ResultsJournal& operator=(const ResultsJournal&) = delete;

  /// The results that were there before.
  const std::map<std::string, Json>& results() const { return results_; }

  /// The file has the line when this returns. One thread at a time. Throws
  /// DataError.
  void Add(const Json& line);

 private:
  const std::string name_;
  int file_ = -1;
  std::map<std::string, Json> results_;
};

/// "45.8 %". Never "100.0 %" for a share just below or just above 1.
std::string UtilizationText(double share);
/// "4.2", or "any", rounded to what passes.
std::string LargestPayloadText(double kilograms);
/// "1.25", or "at no pace" for infinity, rounded to what passes.
std::string SlowDownFactorText(double factor);

/// Titles of columns, and the place of each in a row: "/torque_use/value".
using CsvColumns = std::vector<std::pair<std::string, std::string>>;
/// Cells of members that are absent or null are empty.
std::string CsvOf(const CsvColumns& columns, const Json& rows);

}  // namespace torqued::cli
