// The files of `trajectory check` in addition to the trajectory: limits,
// wrenches, results, and the comparison of two runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "client/cli/document.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// `drives` and `position_limits` of the start in their JSON form. Throws
/// DataError. The server checks names and numbers.
void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start);

/// `tip_wrench_profile` of the start: CSV with the columns time, mx, my, mz,
/// fx, fy, fz in any order, or CSV without names or NPY with these 7 in this
/// order. Throws DataError.
void ReadWrenchProfile(const std::filesystem::path& path,
                       v1::CheckTrajectoryStart* start);

/// Results of checks, by file.
using Results = std::map<std::string, Json>;

/// `severity` is the largest share of a limit that is used, or by which it is
/// exceeded, of `joint` (empty: no joint has a limit); `worst` is a sentence
/// about it. `largest_payload` is absent if none passes, `slow_down` if no pace
/// passes.
void AddVerdict(const v1::TrajectoryVerdict& verdict, Json* result);

/// It has "error" as text otherwise.
bool HasVerdict(const Json& result);
bool Passes(const Json& result);

/// A text file of one JSON object a line: first what was asked, then a result
/// for each file; a later one replaces an earlier one. A last line without its
/// end does not count.
struct JournalContent {
  Json question;
  Results results;
};

/// Empty text has neither question nor results. Throws DataError naming `name`.
JournalContent ParseJournal(std::string_view text, const std::string& name);

/// A journal to which this run adds results as they come, so that it can be
/// resumed. Throws DataError.
class ResultsJournal {
 public:
  /// Refuses the journal of another question.
  ResultsJournal(const std::filesystem::path& path, const Json& question);

  /// The results that were there before.
  const Results& results() const { return results_; }

  /// The file has the line when this returns. One thread at a time.
  void Add(const Json& line);

 private:
  const std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Results results_;
};

/// Is the later one of two summaries (--summary) of a file, or of two runs of
/// many files (--results, or their summaries), worse? `tolerance` is relative.
/// Returns what `--output json` prints. Throws DataError.
Json CompareRuns(const std::string& before_name, std::string_view before_text,
                 const std::string& after_name, std::string_view after_text,
                 double tolerance);

void PrintComparison(const Json& report, std::ostream& out);
/// The columns of its numbers.
extern const Members kComparedColumns;

}  // namespace torqued::cli
