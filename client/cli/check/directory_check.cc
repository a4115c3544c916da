#include "client/cli/check/directory_check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "client/cli/check/check_refusal.h"
#include "client/cli/check/results_journal.h"
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

/// Hands out files and takes results; any thread may do either.
class Run {
 public:
  Run(const Checker& checker, fs::path directory,
      std::vector<std::string> files, ResultsJournal* journal, bool worded)
      : checker_(checker),
        directory_(std::move(directory)),
        files_(std::move(files)),
        journal_(journal),
        worded_(worded) {}

  /// Until nothing is left, or something ends the run.
  void Work() {
    while (const auto file = Next()) {
      try {
        Take(Check(*file));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        // Of a run that is over nobody asks why.
        if (stopped_) return;
        if (!failure_) failure_ = std::current_exception();
        changed_.notify_all();
      }
    }
  }

  /// Takes no more results, so that Wait does not return; how many there are.
  std::size_t Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    return results_.size();
  }

  /// Calls `told` with their number whenever more are done, until all are, or
  /// something ended the run.
  template <class Told>
  void Wait(Told told) {
    std::unique_lock lock(mutex_);
    std::size_t known = 0;
    while (known < files_.size() && !failure_) {
      changed_.wait(lock, [&] { return failure_ || results_.size() > known; });
      known = results_.size();
      lock.unlock();
      told(known);
      lock.lock();
    }
  }

  /// Once no thread works any more. Throws what ended the run.
  std::vector<FileResult> Finish() && {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  std::optional<std::string> Next() {
    const std::lock_guard lock(mutex_);
    if (failure_ || stopped_ || next_ == files_.size()) return std::nullopt;
    return files_[next_++];
  }

  FileResult Check(const std::string& file) const {
    FileResult result;
    result.file = file;
    try {
      const fs::path path = directory_ / file;
      result.stamp = StampOf(path);
      const CheckedTrajectory checked = checker_.Check(path, {});
      result = ResultOf(file, result.stamp, checked.check.verdict);
      for (const v1::AskedWords& asked : checked.check.verdict.asked_words()) {
        // The wrench of one file is not that of all.
        if (checked.brings_wrench && asked.title().starts_with("wrench")) {
          continue;
        }
        result.asked_words.push_back(ToJson(asked));
      }
      return result;
    } catch (const LimitsError&) {
      throw;  // of all files
    } catch (const NotATrajectory&) {
      result.is_trajectory = false;
    } catch (const DataError& error) {
      result.error = "DATA (" + error.place() + "): " + error.what();
    } catch (const client::Error& error) {
      if (!IsAboutTheFile(error)) throw;
      result.error = ErrorLine(error);
    } catch (const std::bad_alloc&) {
      result.error = "DATA (" + file + "): is too large for the memory";
    } catch (const std::length_error&) {
      result.error = "DATA (" + file + "): is too large for the memory";
    }
    return result;
  }

  void Take(FileResult result) {
    const std::lock_guard lock(mutex_);
    // Behind a line that could not be written nothing may stand.
    if (failure_ || stopped_) return;
    if (worded_) result.asked_words.clear();
    worded_ = worded_ || !result.asked_words.empty();
    // Results are kept by name.
    if (journal_ != nullptr && result.is_trajectory &&
        FindInvalidUtf8(result.file) == std::string::npos) {
      journal_->Add(result);
    }
    results_.push_back(std::move(result));
    changed_.notify_all();
  }

  const Checker& checker_;
  const fs::path directory_;
  const std::vector<std::string> files_;
  ResultsJournal* const journal_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::vector<FileResult> results_;
  bool worded_;  // the question is told in a result
  std::exception_ptr failure_;
  bool stopped_ = false;
};

/// Tells how far a run came that is interrupted, while this lives.
class InterruptedRun {
 public:
  InterruptedRun(Session& session, Run& run, std::size_t before,
                 std::int64_t total, bool resumable)
      : session_(session) {
    session.set_last_words([&run, before, total, resumable] {
      return "interrupted: " + std::to_string(before + run.Stop()) + " of " +
             std::to_string(total) + " files done; " +
             (resumable ? "the same command resumes"
                        : "with --results FILE the same command would resume");
    });
  }
  ~InterruptedRun() { session_.set_last_words({}); }
  InterruptedRun(const InterruptedRun&) = delete;
  InterruptedRun& operator=(const InterruptedRun&) = delete;

 private:
  Session& session_;
};

/// What makes results comparable: they are resumed for the same question only.
Json QuestionOf(const Checker& checker, const std::string& server_version) {
  Json question;
  question["model"] = checker.model().name();
  question["revision"] = checker.model().revision();
  question["server_version"] = server_version;
  question["asked"] = ToJson(checker.start());
  question["inputs"] = checker.OtherInputs();
  return question;
}

/// Reports and settings may lie beside trajectories.
void LeaveOutOthers(Session& session, std::vector<FileResult>* results) {
  for (const FileResult& result : *results) {
    if (!result.is_trajectory) {
      session.Remark(PlainText(result.file, 128) + ": no trajectory, left out");
    }
  }
  std::erase_if(*results, [](const FileResult& r) { return !r.is_trajectory; });
}

}  // namespace

std::size_t DirectoryCheck::errors() const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [](const FileResult& r) { return !r.error.empty(); }));
}

std::size_t DirectoryCheck::passed() const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [](const FileResult& r) { return r.passes; }));
}

std::size_t DirectoryCheck::failed() const {
  return results.size() - errors() - passed();
}

Json DirectoryCheck::asked_words() const {
  for (const FileResult& result : results) {
    if (!result.asked_words.empty()) return result.asked_words;
  }
  return Json::array();
}

std::vector<std::string> TrajectoriesBelow(
    const fs::path& directory, const std::vector<std::string>& others) {
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
  // The last one seen is what could not be entered.
  if (error) throw DataError(place.string(), error.message());
  if (files.empty()) {
    throw DataError(directory.string(), "has no file whose name ends in " +
                                            std::string(kContainerEndings));
  }
  std::sort(files.begin(), files.end());
  return files;
}

DirectoryCheck CheckDirectory(Session& session, const Checker& checker,
                              const fs::path& directory,
                              const std::vector<std::string>& others,
                              const std::string& journal_path, int jobs) {
  DirectoryCheck check;
  check.directory = directory.string();
  check.question =
      QuestionOf(checker, session.client().GetServerInfo().server_version());
  std::vector<std::string> files = TrajectoriesBelow(directory, others);
  const auto total = static_cast<std::int64_t>(files.size());

  std::optional<ResultsJournal> journal;
  if (!journal_path.empty()) {
    journal.emplace(journal_path, check.question);
    // Those without a verdict are tried again.
    std::erase_if(files, [&](const std::string& file) {
      const auto before = journal->results().find(file);
      if (before == journal->results().end() || !before->second.error.empty() ||
          before->second.stamp != StampOf(directory / file)) {
        return false;
      }
      check.results.push_back(before->second);
      return true;
    });
    check.resumed = check.results.size();
  }

  const auto begin = SteadyClock::now();
  const auto workers = std::min(files.size(), static_cast<std::size_t>(jobs));
  Run run(checker, directory, std::move(files), journal ? &*journal : nullptr,
          /*worded=*/!check.asked_words().empty());
  {
    const InterruptedRun interrupted(session, run, check.resumed, total,
                                     journal.has_value());
    ShownProgress progress(session, "files");
    std::vector<std::jthread> threads;
    threads.reserve(workers);
    for (std::size_t k = 0; k < workers; ++k) {
      threads.emplace_back([&run] { run.Work(); });
    }
    run.Wait([&](std::size_t done) {
      progress.Update(static_cast<std::int64_t>(check.resumed + done), total);
    });
  }
  std::vector<FileResult> results = std::move(run).Finish();
  LeaveOutOthers(session, &results);
  check.results.insert(check.results.end(),
                       std::make_move_iterator(results.begin()),
                       std::make_move_iterator(results.end()));
  check.seconds =
      std::chrono::duration<double>(SteadyClock::now() - begin).count();
  if (check.results.empty()) {
    throw DataError(directory.string(), "does not hold a trajectory");
  }
  RankWorstFirst(&check.results);
  return check;
}

}  // namespace torqued::cli
