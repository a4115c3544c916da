// torquectl trajectory check
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <thread>
#include <utility>

#include "client/cli/check/checker.h"
#include "client/cli/check/directory_page.h"
#include "client/cli/check/directory_report.h"
#include "client/cli/check/html_report.h"
#include "client/cli/check/torques_file.h"
#include "client/cli/check/verdict_report.h"
#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/shown_progress.h"
#include "client/cli/state_flags.h"

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
  if (!container) {
    throw UsageError("--torques", path + " ends in none of " +
                                      std::string(kContainerEndings));
  }
  return *container;
}

int DefaultJobs() {
  return static_cast<int>(
      std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
}

void WriteOutputs(const Flags& flags, const CheckedTrajectory& checked) {
  if (!flags.torques.empty()) {
    WriteFile(
        flags.torques,
        TorquesBytes(checked, TorquesContainer(flags.torques), flags.torques));
  }
  if (!flags.html.empty()) WriteFile(flags.html, HtmlReport(checked));
  if (!flags.junit.empty()) WriteFile(flags.junit, VerdictJunit(checked));
  if (!flags.json.empty()) WriteFile(flags.json, ToText(VerdictJson(checked)));
}

/// Each once, in order.
std::vector<v1::TrajectoryTable> TablesFor(const Flags& flags) {
  const bool derived = flags.check.derive != v1::DIFFERENTIATION_UNSPECIFIED;
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
    throw UsageError("--torques", "is of one file, not of many");
  }
  const Checker checker(session, flags.check);
  const DirectoryCheck check =
      CheckDirectory(session, checker, flags.file,
                     {flags.check.limits, flags.check.wrench_profile,
                      flags.json, flags.junit, flags.results},
                     flags.results, flags.jobs);
  if (!flags.html.empty()) WriteFile(flags.html, DirectoryPage(check));
  if (!flags.junit.empty()) WriteFile(flags.junit, DirectoryJunit(check));
  if (!flags.json.empty()) WriteFile(flags.json, ToText(DirectoryJson(check)));
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
  if (check.errors() > 0) return ExitCode::kError;
  return check.failed() > 0 ? ExitCode::kNo : ExitCode::kOk;
}

ExitCode Run(Session& session, const Flags& flags) {
  std::error_code ignored;
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
  RemarkUnused(session, checked.file, checked.unused);
  WriteOutputs(flags, checked);

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
                   "of --joints; NPZ with arrays of these names and "
                   "joint_names; trajectory_msgs/JointTrajectory as YAML or "
                   "JSON. With --derive without v and a. A directory: all "
                   "such files below it")
      ->required();
  AddCheckFlags(command, &flags->check);
  command->add_option("--torques,-o", flags->torques,
                      "Write the torques to this .csv, .npy, .npz, .yaml or "
                      ".json file");
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
  command
      ->add_option("--jobs,-j", flags->jobs,
                   "Of a directory: so many files at a time (default: one for "
                   "each core, at most 8)")
      ->check(CLI::Range(1, 256));
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
