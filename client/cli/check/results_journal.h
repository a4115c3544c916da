// Results of many files, kept as they come, so that a run can be resumed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "client/cli/check/file_result.h"
#include "client/cli/message_json.h"

namespace torqued::cli {

/// A text file of one JSON object a line: first what was asked, then a result
/// for each file, later ones in the place of earlier ones. A last line that was
/// never finished does not count.
struct JournalContent {
  Json question;
  std::map<std::string, FileResult> results;  // by file
  std::uint64_t whole_bytes = 0;              // up to the end of the last line
};

/// Of the text of a journal, `name` in the DataError where it is none. Empty
/// text has neither question nor results.
JournalContent ParseJournal(std::string_view text, const std::string& name);

/// Whether a file begins like a journal.
bool LooksLikeJournal(std::string_view text);

/// One that is written to. Nobody else may have it open.
class ResultsJournal {
 public:
  /// Makes the file where there is none. Throws DataError where it cannot be
  /// used, or is the journal of another question.
  ResultsJournal(const std::filesystem::path& path, const Json& question);
  ~ResultsJournal();
  ResultsJournal(const ResultsJournal&) = delete;
  ResultsJournal& operator=(const ResultsJournal&) = delete;

  /// What was there before.
  const std::map<std::string, FileResult>& results() const { return results_; }

  /// Is in the file when this returns. One thread at a time. Throws DataError.
  void Add(const FileResult& result);

 private:
  void WriteLine(const Json& json);

  const std::string name_;
  int file_ = -1;
  std::map<std::string, FileResult> results_;
};

}  // namespace torqued::cli
