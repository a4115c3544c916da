// Results of checks: kept as they come, so that a run can be resumed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "client/cli/message_json.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// By file.
using Results = std::map<std::string, Json>;

/// `severity` is the largest share of a limit that is used, or by which it is
/// exceeded, of `joint` (empty: no joint has a limit); `worst` is a sentence
/// about it. `largest_payload` is absent if none passes, `slow_down` if no pace
/// passes. Infinite numbers are the string "Infinity".
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
  std::uint64_t whole_bytes = 0;  // up to the end of the last line
};

/// Empty text has neither question nor results. Throws DataError naming `name`.
JournalContent ParseJournal(std::string_view text, const std::string& name);
bool LooksLikeJournal(std::string_view text);

/// A journal that this run writes, and no other one.
class ResultsJournal {
 public:
  /// Throws DataError if the file cannot be used, or is the journal of another
  /// question.
  ResultsJournal(const std::filesystem::path& path, const Json& question);

  /// The results that were there before.
  const Results& results() const { return results_; }

  /// The file has the line when this returns. One thread at a time. Throws
  /// DataError.
  void Add(const Json& line);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void Fail(const char* what) const;

  const std::string name_;
  std::unique_ptr<std::FILE, Closer> file_;
  Results results_;
};

}  // namespace torqued::cli
