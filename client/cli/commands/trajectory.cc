// torquectl trajectory check and trajectory compare
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "client/cli/check/checker.h"
#include "client/cli/check/runs.h"
#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

struct TrajectoryFlags {
  std::string file, torques, html, junit, json, results;
  CheckFlags check;
  int jobs = 0;
};

Container TorquesContainer(const std::string& path) {
  const auto container = ContainerOfName(path);
  if (!container || container == Container::kYaml) {
    throw UsageError("--torques", path,
                     " ends in none of .csv, .npy, .npz and .json");
  }
  return *container;
}

using Content = std::function<std::string()>;

/// A file that cannot be written keeps no other one from being written: the
/// verdict may have taken hours.
void WriteFiles(const std::vector<std::pair<std::string, Content>>& files) {
  std::string problems;
  for (const auto& [path, content] : files) {
    try {
      if (!path.empty()) WriteFile(path, content());
    } catch (const DataError& error) {
      problems += Cat(problems.empty() ? "" : "; ", error.what());
    }
  }
  if (!problems.empty()) throw std::runtime_error(problems);
}

std::vector<v1::TrajectoryTable> TablesFor(
    const TrajectoryFlags& flags, const v1::CheckTrajectoryStart& start) {
  if (flags.torques.empty() && flags.html.empty()) return {};
  std::vector tables = {v1::TRAJECTORY_TABLE_TAU,
                        v1::TRAJECTORY_TABLE_TORQUE_LIMIT};
  if (start.derive() != v1::DIFFERENTIATION_UNSPECIFIED) {
    tables.insert(tables.end(),
                  {v1::TRAJECTORY_TABLE_V, v1::TRAJECTORY_TABLE_A});
  }
  if (start.has_operational_space()) {
    tables.insert(tables.end(), {v1::TRAJECTORY_TABLE_SIGMA_MIN,
                                 v1::TRAJECTORY_TABLE_CONDITION});
  }
  return tables;
}

ExitCode RunDirectory(Session& session, const TrajectoryFlags& flags) {
  if (!flags.torques.empty()) {
    throw UsageError(
        "--torques",
        "the torques of one file can be written, not those of many");
  }
  const Checker checker(session, flags.check);
  Json check = CheckDirectory(session, checker, flags.file,
                              {flags.check.limits, flags.check.wrench_profile,
                               flags.json, flags.junit, flags.results},
                              flags.results, flags.jobs);
  session.Answer(check, kResultColumns, ResultRows(check["results"]),
                 [&](std::ostream& out) { PrintDirectory(check, out); });
  WriteFiles({{flags.html, [&] { return DirectoryPage(check); }},
              {flags.junit, [&] { return DirectoryJunit(check); }},
              {flags.json, [&] { return ToText(check); }}});
  if (check["errors"] > 0) return ExitCode::kError;
  return check["failed"] > 0 ? ExitCode::kNo : ExitCode::kOk;
}

ExitCode CheckFiles(Session& session, const TrajectoryFlags& flags) {
  std::error_code ignored;
  RequireSeparateFiles({{"--torques", flags.torques},
                        {"--html", flags.html},
                        {"--junit", flags.junit},
                        {"--summary", flags.json},
                        {"--results", flags.results}},
                       {{"FILE", flags.file},
                        {"--model", flags.check.model},
                        {"--limits", flags.check.limits},
                        {"--tip-wrench-profile", flags.check.wrench_profile}});
  if (std::filesystem::is_directory(flags.file, ignored)) {
    return RunDirectory(session, flags);
  }
  if (!flags.results.empty()) {
    throw UsageError("--results", flags.file, " is not a directory");
  }
  if (!flags.torques.empty()) TorquesContainer(flags.torques);
  const Checker checker(session, flags.check);
  const CheckedTrajectory checked =
      checker.Check(flags.file, TablesFor(flags, checker.start()),
                    session.ShowProgress("samples"));
  session.RemarkUnused(checked.file, checked.unused);
  const Json verdict = VerdictJson(checked);
  Json result = {{"file", checked.file}};
  AddVerdict(checked.check.verdict, &result);
  session.Answer(verdict, kResultColumns, ResultRows(Json::array({result})),
                 [&](std::ostream& out) { PrintVerdict(checked, out); });
  WriteFiles({{flags.torques,
               [&] {
                 return TorquesBytes(checked, TorquesContainer(flags.torques),
                                     flags.torques);
               }},
              {flags.html, [&] { return ReportPage(checked); }},
              {flags.junit, [&] { return VerdictJunit(checked); }},
              {flags.json, [&] { return ToText(verdict); }}});
  return checked.check.verdict.passes() ? ExitCode::kOk : ExitCode::kNo;
}

struct CompareFlags {
  std::string before, after;
  double tolerance = 0.01;
};

ExitCode RunCompare(Session& session, const CompareFlags& flags) {
  Json report = CompareRuns(flags.before, ReadFile(flags.before), flags.after,
                            ReadFile(flags.after), flags.tolerance);
  session.Answer(report, kComparedColumns, report["numbers"],
                 [&](std::ostream& out) { PrintComparison(report, out); });
  return report["worse"] ? ExitCode::kNo : ExitCode::kOk;
}

}  // namespace

void AddTrajectory(CLI::App* app, Runner* runner) {
  CLI::App* trajectory = app->add_subcommand(
      "trajectory", "Check whether a robot stays within its limits");
  const auto flags = std::make_shared<TrajectoryFlags>();
  CLI::App* command = AddCommand(
      trajectory, "check",
      "Does a robot stay within its limits along a trajectory? Exit code 0: "
      "yes, "
      "2: no, 1: no answer",
      runner,
      [flags](Session& session) { return CheckFiles(session, *flags); });
  command
      ->add_option("FILE", flags->file,
                   "CSV with columns time, <joint>.q, <joint>.v, <joint>.a. "
                   "Or CSV without names or NPY with time, q, v, a in the "
                   "order of --joint-names. Or NPZ with arrays of these names "
                   "and joint_names. Or trajectory_msgs/JointTrajectory as "
                   "YAML or JSON. With --derive without v and a. Or a "
                   "directory: all such files below it")
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
                      "With a directory: append each result to this .jsonl "
                      "file; files with a result there are not checked again");
  flags->jobs =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  flags::WholeNumber(
      command->add_option("--jobs,-j", flags->jobs,
                          "With a directory: number of files at a time "
                          "(default: one for each core, at most 8)"),
      1, 256);

  const auto compared = std::make_shared<CompareFlags>();
  CLI::App* compare = AddCommand(
      trajectory, "compare",
      "Two runs of `trajectory check` side by side, no server needed. Exit "
      "code 0: the later one is not worse, 2: it is, 1: no answer",
      runner,
      [compared](Session& session) { return RunCompare(session, *compared); });
  compare
      ->add_option("BEFORE", compared->before,
                   "File of --summary, or of --results")
      ->required();
  compare->add_option("AFTER", compared->after, "Another one of the same kind")
      ->required();
  flags::Number(
      compare->add_option("--tolerance", compared->tolerance,
                          "Share by which a number may change and count as the "
                          "same (default: 0.01)"),
      0, 1);
}

}  // namespace torqued::cli
