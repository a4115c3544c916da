#include "client/cli/check/directory_check.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "client/cli/check/results.h"
#include "client/cli/error_report.h"
#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

/// Whether another file may do better. The options are those of all files, but
/// for the order of the joints.
bool IsAboutTheFile(const client::Error& error) {
  if (error.code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
    return error.reason() != v1::OVERLOADED;
  }
  const auto& violations = error.details().field_violations;
  return (error.code() == grpc::StatusCode::INVALID_ARGUMENT ||
          error.code() == grpc::StatusCode::OUT_OF_RANGE) &&
         (violations.empty() ||
          !violations.front().field.starts_with("start.") ||
          violations.front().field.starts_with("start.options.joint_names"));
}

/// By name.
std::vector<std::string> FilesBelow(const fs::path& directory,
                                    const std::vector<std::string>& others) {
  const auto is_other = [&others](const fs::path& path) {
    return std::any_of(others.begin(), others.end(),
                       [&path](const std::string& other) {
                         std::error_code ignored;
                         return fs::equivalent(path, other, ignored);
                       });
  };
  fs::path place = directory;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    place = path;
    if (path.filename().string().starts_with('.')) {
      if (entry->is_directory(error)) entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_regular_file(error) && ContainerOfName(path) &&
        !is_other(path)) {
      files.push_back(path.lexically_relative(directory).string());
    }
  }
  // The iterator could not enter the last one that it returned.
  if (error) throw DataError(place.string(), error.message());
  if (files.empty()) {
    throw DataError(directory.string(),
                    "the directory has no file whose name ends in " +
                        std::string(kContainerEndings));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A result begins with the name of the file below the directory, its size and
/// the time when it was modified, in ns since 1970. Throws DataError.
Json StartResult(const fs::path& directory, const std::string& file) {
  const fs::path path = directory / file;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  fs::file_time_type time;
  if (!error) time = fs::last_write_time(path, error);
  if (error) throw DataError(path.string(), error.message());
  const auto modified = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::file_clock::to_sys(time).time_since_epoch());
  return {{"file", file}, {"bytes", bytes}, {"modified", modified.count()}};
}

/// Of a file that has not changed since.
bool IsOf(const Json& result, const Json& now) {
  const auto items = now.items();
  return HasVerdict(result) &&
         std::all_of(items.begin(), items.end(), [&result](const auto& item) {
           return result.value(item.key(), Json()) == item.value();
         });
}

/// The result of a file; nothing if it is no trajectory.
std::optional<Json> Check(const Checker& checker, const fs::path& directory,
                          const std::string& file) {
  Json result = {{"file", file}, {"bytes", 0}, {"modified", 0}};
  try {
    result = StartResult(directory, file);
    const CheckedTrajectory checked = checker.Check(directory / file, {});
    AddVerdict(checked.check.verdict, &result);
    for (const v1::AskedWords& asked : checked.check.verdict.asked_words()) {
      // The wrench of one file is not that of all.
      if (checked.brings_wrench && asked.title().starts_with("wrench"))
        continue;
      result["asked_words"].push_back(ToJson(asked));
    }
  } catch (const NotATrajectory&) {
    return std::nullopt;
  } catch (const DataError& error) {
    result["error"] = "DATA (" + error.place() + "): " + error.what();
  } catch (const client::Error& error) {
    if (!IsAboutTheFile(error)) throw;
    result["error"] = ErrorLine(error);
  } catch (const std::bad_alloc&) {
    result["error"] = "DATA (" + file + "): is too large for the memory";
  }
  return result;
}

/// What fails by severity, then what passes, and last what has no verdict.
void RankWorstFirst(std::vector<Json>* results) {
  std::sort(results->begin(), results->end(), [](const Json& a, const Json& b) {
    const auto key = [](const Json& result) {
      return std::tuple(
          !HasVerdict(result), Passes(result),
          -NumberFromJson(result.value("severity", Json())).value_or(0),
          result["file"].get<std::string_view>());
    };
    return key(a) < key(b);
  });
}

}  // namespace

Json CheckDirectory(Session& session, const Checker& checker,
                    const fs::path& directory,
                    const std::vector<std::string>& others,
                    const std::string& journal_path, int jobs) {
  const Json question = {
      {"model", checker.model().name()},
      {"revision", checker.model().revision()},
      {"server_version", session.client().GetServerInfo().server_version()},
      {"asked", ToJson(checker.start())},
      {"inputs", checker.OtherInputs()}};
  std::vector<std::string> files = FilesBelow(directory, others);
  const auto total = static_cast<std::int64_t>(files.size());

  std::vector<Json> results;
  Json asked_words = Json::array();  // of one file, for all
  std::optional<ResultsJournal> journal;
  if (!journal_path.empty()) {
    journal.emplace(journal_path, question);
    std::erase_if(files, [&](const std::string& file) {
      const auto before = journal->results().find(file);
      if (before == journal->results().end() ||
          !IsOf(before->second, StartResult(directory, file))) {
        return false;
      }
      results.push_back(before->second);
      asked_words = before->second.value("asked_words", asked_words);
      return true;
    });
  }
  const std::size_t resumed = results.size();

  const auto begin = SteadyClock::now();
  std::mutex mutex;  // guards what follows
  std::size_t next = 0;
  auto done = static_cast<std::int64_t>(resumed);
  std::exception_ptr failure;
  const client::Progress progress = session.ShowProgress("files");
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (!failure && next < files.size()) {
      const std::string& file = files[next++];
      lock.unlock();
      std::optional<Json> result;
      std::exception_ptr caught;
      try {
        result = Check(checker, directory, file);
        if (!result) {
          session.Remark(PlainText(file, 128) + ": no trajectory, left out");
        }
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      if (failure) return;
      failure = caught;
      if (result) {
        if (!asked_words.empty()) result->erase("asked_words");
        asked_words = result->value("asked_words", asked_words);
        try {
          // The journal keeps results by name.
          if (journal && FindInvalidUtf8(file) == std::string::npos) {
            journal->Add(*result);
          }
        } catch (const DataError&) {
          failure = std::current_exception();
        }
        results.push_back(*std::move(result));
      }
      progress(++done, total);
    }
  };
  {
    std::vector<std::jthread> threads(
        std::min(files.size(), static_cast<std::size_t>(jobs)));
    for (std::jthread& thread : threads) thread = std::jthread(work);
  }
  if (failure) std::rethrow_exception(failure);
  const std::chrono::duration<double> time = SteadyClock::now() - begin;
  if (results.empty()) {
    throw DataError(directory.string(),
                    "the directory does not hold a trajectory");
  }
  RankWorstFirst(&results);
  for (Json& result : results) result.erase("asked_words");
  const auto judged = std::count_if(results.begin(), results.end(), HasVerdict);
  const auto passed = std::count_if(results.begin(), results.end(), Passes);
  Json check = {{"directory", directory.string()}};
  check.update(question);
  check.update({{"asked_words", asked_words},
                {"files", results.size()},
                {"passed", passed},
                {"failed", judged - passed},
                {"errors", std::ssize(results) - judged},
                {"resumed", resumed},
                {"seconds", time.count()},
                {"results", results}});
  return check;
}

}  // namespace torqued::cli
