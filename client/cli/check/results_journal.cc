#include "client/cli/check/results_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/json_tree.h"

namespace torqued::cli {
namespace {

constexpr const char* kMark = "torqued_results";
constexpr int kVersion = 1;
constexpr int kMaxDepth = 32;

[[noreturn]] void FailSystem(const std::string& name, const char* what) {
  throw DataError(name, std::string(what) + ": " + std::strerror(errno));
}

Json QuestionOf(const Json& line, const std::string& name) {
  const bool is_one = line.is_object() && line.contains(kMark) &&
                      line[kMark] == kVersion && line.contains("question") &&
                      line["question"].is_object();
  if (!is_one) {
    throw DataError(name, "is no file of results of `trajectory check`");
  }
  return line["question"];
}

}  // namespace

bool LooksLikeJournal(std::string_view text) {
  return text.starts_with("{\"" + std::string(kMark) + "\"");
}

JournalContent ParseJournal(std::string_view text, const std::string& name) {
  JournalContent content;
  std::size_t begin = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    const std::string place = name + ":" + std::to_string(line);
    const Json json =
        ParseJsonText(text.substr(begin, end - begin), kMaxDepth, place);
    if (line == 1) {
      content.question = QuestionOf(json, name);
    } else {
      auto result = ResultFromJson(json);
      if (!result) throw DataError(place, "is no result");
      std::string file = result->file;
      content.results.insert_or_assign(std::move(file), *std::move(result));
    }
    begin = end + 1;
  }
  // Not to be cut away as a line that was never finished.
  if (begin == 0 && !text.empty() && !LooksLikeJournal(text)) {
    throw DataError(name, "is no file of results of `trajectory check`");
  }
  content.whole_bytes = begin;
  return content;
}

ResultsJournal::ResultsJournal(const std::filesystem::path& path,
                               const Json& question)
    : name_(path.string()) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
  if (file_ < 0) FailSystem(name_, "cannot be opened");
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw DataError(name_, "is in use by another run");
    }
    JournalContent content = ParseJournal(ReadFile(path), name_);
    if (ftruncate(file_, static_cast<off_t>(content.whole_bytes)) != 0) {
      FailSystem(name_, "cannot be cut");
    }
    if (content.whole_bytes == 0) {
      WriteLine({{kMark, kVersion}, {"question", question}});
    } else if (content.question != question) {
      throw DataError(name_,
                      "has the results of another question (another model, "
                      "revision, server version or option): name another file "
                      "or remove this one");
    }
    results_ = std::move(content.results);
  } catch (...) {
    close(file_);
    throw;
  }
}

ResultsJournal::~ResultsJournal() { close(file_); }

void ResultsJournal::Add(const FileResult& result) {
  WriteLine(ToJson(result));
}

void ResultsJournal::WriteLine(const Json& json) {
  // Messages may have bytes of a file that are no UTF-8.
  std::string line =
      json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailSystem(name_, "cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace torqued::cli
