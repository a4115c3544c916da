// torquectl trajectory check
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <ostream>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "client/cli/check/checker.h"
#include "client/cli/check/directory_report.h"
#include "client/cli/check/report_page.h"
#include "client/cli/check/torques_file.h"
#include "client/cli/check/verdict_report.h"
#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/output_paths.h"
#include "client/cli/shown_progress.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

struct Flags {
  std::string file;
  CheckFlags check;
  std::string torques;
  std::string html;
  std::string junit;
  std::string json;
  std::string results;
  int jobs = 0;
};

Container TorquesContainer(const std::string& path) {
  const auto container = ContainerOfName(path);
  if (!container || container == Container::kYaml) {
    throw UsageError("--torques",
                     path + " ends in none of .csv, .npy, .npz and .json");
  }
  return *container;
}

int DefaultJobs() {
  return static_cast<int>(
      std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

/// Files that a run leaves. One that cannot be written keeps no other one from
/// being written: the verdict may have taken hours.
class OutputFiles {
 public:
  /// Where a path is given.
  void Write(const std::string& path,
             const std::function<std::string()>& content) {
    if (path.empty()) return;
    try {
      WriteFile(path, content());
    } catch (const DataError& error) {
      failures_.push_back(error);
    }
  }

  /// Throws one DataError for all that failed.
  void ThrowFailures() const {
    if (failures_.empty()) return;
    std::string message = failures_.front().what();
    for (std::size_t k = 1; k < failures_.size(); ++k) {
      message += "; " + failures_[k].place() + ": " + failures_[k].what();
    }
    throw DataError(failures_.front().place(), message);
  }

 private:
  std::vector<DataError> failures_;
};

void WriteOutputs(const Flags& flags, const CheckedTrajectory& checked) {
  OutputFiles files;
  files.Write(flags.torques, [&] {
    return TorquesBytes(checked, TorquesContainer(flags.torques),
                        flags.torques);
  });
  files.Write(flags.html, [&] { return ReportPage(checked); });
  files.Write(flags.junit, [&] { return VerdictJunit(checked); });
  files.Write(flags.json, [&] { return ToText(VerdictJson(checked)); });
  files.ThrowFailures();
}

void WriteOutputs(const Flags& flags, const DirectoryCheck& check) {
  OutputFiles files;
  files.Write(flags.html, [&] { return ReportPage(check); });
  files.Write(flags.junit, [&] { return DirectoryJunit(check); });
  files.Write(flags.json, [&] { return ToText(DirectoryJson(check)); });
  files.ThrowFailures();
}

/// Each once, in order.
std::vector<v1::TrajectoryTable> TablesFor(const Flags& flags) {
  const bool derived = flags.check.command->count("--derive") > 0;
  std::set<v1::TrajectoryTable> tables;
  if (!flags.torques.empty()) {
    TorquesContainer(flags.torques);
    tables.merge(TablesForTorques(derived));
  }
  if (!flags.html.empty()) {
    tables.merge(TablesForReport(derived, flags.check.task));
  }
  return {tables.begin(), tables.end()};
}

ExitCode RunDirectory(Session& session, const Flags& flags) {
  if (!flags.torques.empty()) {
    throw UsageError("--torques", "the file is a directory");
  }
  const Checker checker(session, flags.check);
  const DirectoryCheck check =
      CheckDirectory(session, checker, flags.file,
                     {flags.check.limits, flags.check.wrench_profile,
                      flags.json, flags.junit, flags.results},
                     flags.results, flags.jobs);
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(DirectoryJson(check));
      break;
    case OutputFormat::kCsv:
      session.out() << DirectoryCsv(check);
      break;
    case OutputFormat::kTable:
      PrintDirectory(check, session.out());
      break;
  }
  WriteOutputs(flags, check);
  if (check.errors() > 0) return ExitCode::kError;
  return check.failed() > 0 ? ExitCode::kNo : ExitCode::kOk;
}

ExitCode Run(Session& session, const Flags& flags) {
  std::error_code ignored;
  RequireSeparateFiles({{"--torques", flags.torques},
                        {"--html", flags.html},
                        {"--junit", flags.junit},
                        {"--summary", flags.json},
                        {"--results", flags.results}},
                       {{"FILE", flags.file},
                        {"--model", flags.check.model},
                        {"--limits", flags.check.limits},
                        {"--wrench-profile", flags.check.wrench_profile}});
  if (std::filesystem::is_directory(flags.file, ignored)) {
    return RunDirectory(session, flags);
  }
  if (!flags.results.empty()) {
    throw UsageError("--results", flags.file + " is no directory");
  }
  const std::vector<v1::TrajectoryTable> tables = TablesFor(flags);
  const Checker checker(session, flags.check);
  CheckedTrajectory checked;
  {
    ShownProgress progress(session, "samples");
    checked = checker.Check(flags.file, tables,
                            [&progress](std::int64_t done, std::int64_t total) {
                              progress.Update(done, total);
                            });
  }
  session.RemarkUnused(checked.file, checked.unused);
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(VerdictJson(checked));
      break;
    case OutputFormat::kCsv:
      session.out() << VerdictCsv(checked);
      break;
    case OutputFormat::kTable:
      PrintVerdict(checked, session.out());
      break;
  }
  WriteOutputs(flags, checked);
  return checked.check.verdict.passes() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void AddTrajectoryCheck(CLI::App* trajectory, Runner* runner) {
  CLI::App* command = trajectory->add_subcommand(
      "check",
      "Does a robot keep its limits along a trajectory? Exit code 0: yes, "
      "2: no, 1: there is no answer");
  const auto flags = std::make_shared<Flags>();
  command
      ->add_option("FILE", flags->file,
                   "CSV with columns time, <joint>.q, <joint>.v, <joint>.a; "
                   "CSV without names or NPY with time, q, v, a in the order "
                   "of --joint-names; NPZ with arrays of these names and "
                   "joint_names; trajectory_msgs/JointTrajectory as YAML or "
                   "JSON. With --derive without v and a. A directory: all "
                   "such files below it")
      ->required();
  AddCheckFlags(command, &flags->check);
  command->add_option("--torques,-o", flags->torques,
                      "Write the torques to this .csv, .npy, .npz or .json "
                      "file");
  command->add_option("--html", flags->html,
                      "Write a report with plots to this .html file; of a "
                      "directory, an overview with the files by rank");
  command->add_option("--junit", flags->junit,
                      "Write the verdict to this file as JUnit XML");
  command->add_option("--summary", flags->json,
                      "Write the verdict to this .json file");
  command->add_option("--results", flags->results,
                      "Of a directory: keep results in this .jsonl file as "
                      "they come; what stands there already is not checked "
                      "again");
  flags->jobs = DefaultJobs();
  flags::WholeNumber(
      command->add_option("--jobs,-j", flags->jobs,
                          "Of a directory: so many files at a time (default: "
                          "one for each core, at most 8)"),
      1, 256);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
