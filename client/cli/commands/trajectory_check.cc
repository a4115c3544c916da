// torquectl trajectory check
#include <filesystem>
#include <ostream>

#include "client/cli/check/checker.h"
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
  std::string junit;
  std::string json;
};

Container TorquesContainer(const std::string& path) {
  const auto container = ContainerOfName(path);
  if (!container) {
    throw UsageError("--torques", path + " ends in none of " +
                                      std::string(kContainerEndings));
  }
  return *container;
}

void WriteOutputs(const Flags& flags, const CheckedTrajectory& checked) {
  if (!flags.torques.empty()) {
    WriteFile(flags.torques,
              TorquesBytes(checked, TorquesContainer(flags.torques)));
  }
  if (!flags.junit.empty()) WriteFile(flags.junit, VerdictJunit(checked));
  if (!flags.json.empty()) WriteFile(flags.json, ToText(VerdictJson(checked)));
}

ExitCode Run(Session& session, const Flags& flags) {
  std::vector<v1::TrajectoryTable> tables;
  if (!flags.torques.empty()) {
    TorquesContainer(flags.torques);
    tables =
        TablesForTorques(flags.check.derive != v1::DIFFERENTIATION_UNSPECIFIED);
  }
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
                   "JSON. With --derive without v and a")
      ->required();
  AddCheckFlags(command, &flags->check);
  command->add_option("--torques,-o", flags->torques,
                      "Write the torques to this .csv, .npy, .npz, .yaml or "
                      ".json file");
  command->add_option("--junit", flags->junit,
                      "Write the verdict to this file as JUnit XML");
  command->add_option("--summary", flags->json,
                      "Write the verdict to this .json file");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
