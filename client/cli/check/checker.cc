#include "client/cli/check/checker.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "client/cli/check/runs.h"
#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"

namespace torqued::cli {
namespace {

const Fields kTables = {"tip_wrench_on_environment"};

/// The fields of the start and of the messages in it, except those that the
/// command sets itself or that a check does not take.
const Fields& StartFields() {
  static const Fields fields = [] {
    Fields all = FieldsOf(*v1::CheckTrajectoryStart::descriptor());
    for (const char* name :
         {"model", "encoding", "fail_fast", "sigma_min", "tables"}) {
      all.erase(name);
    }
    return all;
  }();
  return fields;
}

/// Throws DataError if the server refuses a sample of the table.
void ThrowOfSample(const client::Error& error, const StateTable& table) {
  const client::Error::Details& details = error.details();
  const auto row = details.metadata.find("row");
  if (error.reason() != v1::INVALID_SAMPLE ||
      details.field_violations.empty() || row == details.metadata.end()) {
    return;
  }
  // "q[4][2]": the place has the row, and the sentence has the joint.
  const auto& [field, sentence] = details.field_violations.front();
  const std::string array = PlainText(field.substr(0, field.find('[')));
  throw DataError(table.Place(std::stoll(row->second)),
                  array == "samples" ? "" : array + ": ", PlainText(sentence));
}

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

/// Whether another file may do better. The options are those of all files,
/// except for the order of the joints.
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

std::vector<std::string> FilesBelow(const fs::path& directory,
                                    const std::vector<std::string>& others) {
  fs::path place = directory;
  std::vector<std::string> files;
  std::error_code error, ignored;
  fs::recursive_directory_iterator entry(directory, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    place = entry->path();
    const bool is_hidden = place.filename().string().starts_with('.');
    if (is_hidden) entry.disable_recursion_pending();
    if (!is_hidden && entry->is_regular_file(ignored) &&
        ContainerOfName(place) &&
        std::ranges::none_of(others, [&](const std::string& other) {
          return fs::equivalent(place, other, ignored);
        })) {
      files.push_back(place.lexically_relative(directory).string());
    }
  }
  // The iterator could not enter the last one that it returned.
  if (error) throw DataError(place.string(), error.message());
  if (files.empty()) {
    throw DataError(directory.string(),
                    "the directory has no file whose name ends in .csv, .npy, "
                    ".npz, .yaml (.yml) or .json");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A result begins with the name of the file below the directory, its size and
/// the time when it was modified, in ns since 1970.
Json StartResult(const fs::path& directory, const std::string& file) {
  const fs::path path = directory / file;
  const auto modified = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::file_clock::to_sys(fs::last_write_time(path))
          .time_since_epoch());
  return {{"file", file},
          {"bytes", fs::file_size(path)},
          {"modified", modified.count()}};
}

/// The result of a file; absent if it is not a trajectory.
std::optional<Json> Check(const Checker& checker, const fs::path& directory,
                          const std::string& file) {
  Json result = {{"file", file}};
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
  } catch (const client::Error& error) {
    if (!IsAboutTheFile(error)) throw;
    result["error"] = ErrorLine(error);
  } catch (const std::exception& error) {
    result["error"] = error.what();
  }
  return result;
}

}  // namespace

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
  flags->command = command;
  AddModelFlag(command, &flags->model);
  AddTableFlags(command, kTables);
  command
      ->add_option("--tip-wrench-profile", flags->wrench_profile,
                   "Instead of a tip wrench a CSV or NPY file with time, mx, "
                   "my, mz, fx, fy, fz, with straight lines between its rows")
      ->excludes(FlagOf(*kTables.begin()));
  command->add_option("--limits", flags->limits,
                      "JSON file with limits, torque-speed curves, friction "
                      "and rotor inertia of joints, instead of the "
                      "model's");
  command->add_flag("--task", flags->task,
                    "Report the operational space of the tip along the path");
  AddFieldFlags(command, *v1::CheckTrajectoryStart::descriptor(),
                StartFields());
}

Checker::Checker(Session& session, const CheckFlags& flags) {
  v1::Options* options = start_.mutable_options();
  ReadFieldFlags(*flags.command, StartFields(), &start_);
  order_ = TakeJointOrder(options);
  if (flags.task) start_.mutable_operational_space();
  wrench_ = ReadTableFlags(*flags.command, kTables, options)
                .tip_wrench_on_environment;
  if (wrench_.size() > 0 && (wrench_.cols() != 6 || !wrench_.allFinite())) {
    throw UsageError(FlagOf(*kTables.begin()),
                     "needs 6 finite numbers, mx,my,mz,fx,fy,fz");
  }
  if (start_.tip_wrench_reference_frame() == v1::REFERENCE_FRAME_UNSPECIFIED) {
    start_.set_tip_wrench_reference_frame(v1::REFERENCE_FRAME_LOCAL);
  }
  const std::string reference = session.ResolveModel(flags.model);
  client_ = &session.client();
  model_ = client_->GetModel(reference).model();
  start_.set_model(model_.name() + "@" + model_.revision());
  if (!flags.limits.empty()) {
    files_.emplace_back("file of limits", flags.limits);
    ParseLimits(ReadFile(flags.limits), flags.limits, &start_);
  }
  if (!flags.wrench_profile.empty()) {
    files_.emplace_back("file of wrenches", flags.wrench_profile);
    ReadWrenchProfile(flags.wrench_profile, &start_);
  }
  if (wrench_.rows() == 1) {
    v1::WrenchPoint* point = start_.add_tip_wrench_profile();
    point->mutable_wrench()->Add(wrench_.data(), wrench_.data() + 6);
    wrench_.resize(0, 6);
  }
}

Json Checker::OtherInputs() const {
  Json inputs = {{"wrench_frame", v1::ReferenceFrame_Name(
                                      start_.tip_wrench_reference_frame())}};
  if (order_) inputs["joints"] = *order_;
  if (wrench_.size() > 0) inputs["wrench"] = MatrixJson(wrench_);
  return inputs;
}

CheckedTrajectory Checker::Check(const std::filesystem::path& file,
                                 std::span<const v1::TrajectoryTable> tables,
                                 const client::Progress& progress) const {
  const bool derives = start_.derive() != v1::DIFFERENTIATION_UNSPECIFIED;
  const Suffixes columns = derives ? Suffixes{"q"} : Suffixes{"q", "v", "a"};
  TableRules rules = {columns, columns, /*is_trajectory=*/true};
  if (derives) rules.ignored = {"v", "a"};
  StateTable table = ReadStateTable(file, model_, order_, rules);
  RequireData(!table.time.empty(), table.name,
              "the file has no times; give each sample its 'time', in seconds");
  CheckedTrajectory checked;
  checked.file = file.string();
  checked.unused = std::move(table.unused);
  checked.inputs = OtherInputs();
  checked.files = files_;
  checked.samples.time = std::move(table.time);
  checked.samples.q = std::move(table.tables["q"]);
  checked.samples.v = std::move(table.tables["v"]);
  checked.samples.a = std::move(table.tables["a"]);
  checked.brings_wrench = table.tip_wrench.has_value();
  RequireData(!checked.brings_wrench ||
                  (start_.tip_wrench_profile().empty() && wrench_.rows() == 0),
              table.name,
              "the file has a tip_wrench, and another one is given as well");
  checked.samples.tip_wrench_on_environment =
      table.tip_wrench.value_or(wrench_);

  v1::CheckTrajectoryStart start = start_;
  // The columns are in this order, the model's or the user's.
  for (std::string& joint : *table.joints) {
    start.mutable_options()->add_joint_names(std::move(joint));
  }
  if (checked.samples.tip_wrench_on_environment.size() == 0 &&
      start.tip_wrench_profile().empty()) {
    // Without a wrench it would be refused.
    start.clear_tip_wrench_reference_frame();
  }
  start.mutable_tables()->Add(tables.begin(), tables.end());
  const auto begin = SteadyClock::now();
  try {
    checked.check = client_->CheckTrajectory(start, checked.samples, progress);
  } catch (const client::Error& error) {
    ThrowOfSample(error, table);
    throw;
  }
  checked.seconds =
      std::chrono::duration<double>(SteadyClock::now() - begin).count();
  return checked;
}

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
    // Those that have not changed since they got a verdict.
    std::erase_if(files, [&](const std::string& file) {
      const auto before = journal->results().find(file);
      if (before == journal->results().end()) return false;
      const Json& result = before->second;
      Json unchanged = result;
      unchanged.update(StartResult(directory, file));
      if (!HasVerdict(result) || unchanged != result) return false;
      results.push_back(result);
      asked_words = result.value("asked_words", asked_words);
      return true;
    });
  }
  const std::size_t resumed = results.size();

  const auto begin = SteadyClock::now();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards what follows
  auto done = static_cast<std::int64_t>(resumed);
  std::exception_ptr failure;
  const client::Progress progress = session.ShowProgress("files");
  const auto add = [&](const std::string& file, std::optional<Json> result) {
    if (!result) {
      session.Remark(PlainText(file, 128) + ": no trajectory, left out");
    }
    const std::lock_guard lock(mutex);
    progress(++done, total);
    if (!result) return;
    if (!asked_words.empty()) result->erase("asked_words");
    asked_words = result->value("asked_words", asked_words);
    // The journal keeps results by name.
    if (journal && FindInvalidUtf8(file) == std::string::npos) {
      journal->Add(*result);
    }
    results.push_back(*std::move(result));
  };
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < files.size(); k = next++) {
        add(files[k], Check(checker, directory, files[k]));
      }
    } catch (...) {
      next = files.size();
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads(
        std::min(files.size(), static_cast<std::size_t>(jobs)));
    for (std::jthread& thread : threads) thread = std::jthread(work);
  }
  if (failure) std::rethrow_exception(failure);
  const std::chrono::duration<double> time = SteadyClock::now() - begin;
  RequireData(!results.empty(), directory.string(),
              "the directory does not hold a trajectory");
  // Failures by severity, then passes, and last files without a verdict.
  std::ranges::sort(results, {}, [](const Json& result) {
    return std::tuple(!HasVerdict(result), Passes(result),
                      -NumberFromJson(result.value("severity", Json(0))),
                      result["file"].get<std::string_view>());
  });
  for (Json& result : results) result.erase("asked_words");
  const auto judged = std::ranges::count_if(results, HasVerdict);
  const auto passed = std::ranges::count_if(results, Passes);
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
