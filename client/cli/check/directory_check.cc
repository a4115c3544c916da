#include "client/cli/check/directory_check.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "client/cli/check/results.h"
#include "client/cli/error_report.h"
#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/shown_progress.h"
#include "client/cli/terminal/plain_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

/// Whether another file may do better.
bool IsAboutTheFile(const client::Error& error) {
  switch (error.code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE: {
      // The options are those of all files, but for the order of the joints.
      const auto& violations = error.details().field_violations;
      return violations.empty() ||
             !violations.front().field.starts_with("start.") ||
             violations.front().field.starts_with("start.options.joint_names");
    }
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return error.details().reason != "OVERLOADED";
    default:
      return false;
  }
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
  } catch (const LimitsError&) {
    throw;  // of all files
  } catch (const NotATrajectory&) {
    return std::nullopt;
  } catch (const DataError& error) {
    result["error"] = "DATA (" + error.place() + "): " + error.what();
  } catch (const client::Error& error) {
    if (!IsAboutTheFile(error)) throw;
    result["error"] = ErrorLine(error);
  } catch (const std::bad_alloc&) {
    result["error"] = "DATA (" + file + "): is too large for the memory";
  } catch (const std::length_error&) {
    result["error"] = "DATA (" + file + "): is too large for the memory";
  }
  return result;
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
  std::optional<ResultsJournal> journal;
  if (!journal_path.empty()) {
    journal.emplace(journal_path, question);
    std::erase_if(files, [&](const std::string& file) {
      const auto before = journal->results().find(file);
      if (before == journal->results().end() || !HasVerdict(before->second)) {
        return false;
      }
      const Json now = StartResult(directory, file);
      for (const auto& [member, value] : now.items()) {
        if (before->second[member] != value) return false;
      }
      results.push_back(before->second);
      return true;
    });
  }
  const std::size_t resumed = results.size();
  Json asked_words = Json::array();  // of one file, for all
  for (Json& result : results) {
    if (result.contains("asked_words")) asked_words = result["asked_words"];
  }

  const auto begin = SteadyClock::now();
  std::mutex mutex;  // guards what follows
  std::size_t next = 0;
  auto done = static_cast<std::int64_t>(resumed);
  std::exception_ptr failure;
  const std::shared_ptr<void> silence(
      nullptr, [&session](void*) { session.set_last_words({}); });
  session.set_last_words([&] {
    mutex.lock();  // until the process ends, so that no result is added
    return "interrupted: " + std::to_string(done) + " of " +
           std::to_string(total) + " files done; " +
           (journal ? "the same command resumes"
                    : "with --results FILE the same command would resume");
  });
  {
    ShownProgress progress(session, "files");
    const auto work = [&] {
      while (true) {
        try {
          std::unique_lock lock(mutex);
          if (failure || next == files.size()) return;
          const std::string& file = files[next++];
          lock.unlock();
          std::optional<Json> result = Check(checker, directory, file);
          if (!result) {
            session.Remark(PlainText(file, 128) + ": no trajectory, left out");
          }
          lock.lock();
          // The journal may have no place for more.
          if (failure) return;
          if (result) {
            if (!asked_words.empty()) result->erase("asked_words");
            asked_words = result->value("asked_words", asked_words);
            // The journal keeps results by name.
            if (journal && FindInvalidUtf8(file) == std::string::npos) {
              journal->Add(*result);
            }
            results.push_back(*std::move(result));
          }
          progress.Update(++done, total);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      }
    };
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
