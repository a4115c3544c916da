// torquectl trajectory compare
#include <CLI/CLI.hpp>
#include <ostream>

#include "client/cli/check/run_comparison.h"
#include "client/cli/commands/commands.h"
#include "client/cli/formats/file_text.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

struct Flags {
  std::string before;
  std::string after;
  double tolerance = 0.01;
};

ExitCode Run(Session& session, const Flags& flags) {
  const RunComparison comparison =
      CompareRuns(flags.before, ReadFile(flags.before), flags.after,
                  ReadFile(flags.after), flags.tolerance);
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(ComparisonJson(comparison));
      break;
    case OutputFormat::kCsv:
      session.out() << ComparisonCsv(comparison);
      break;
    case OutputFormat::kTable:
      PrintComparison(comparison, session.out());
      break;
  }
  return comparison.worse() ? ExitCode::kNo : ExitCode::kOk;
}

}  // namespace

void AddTrajectoryCompare(CLI::App* trajectory, Runner* runner) {
  CLI::App* command = trajectory->add_subcommand(
      "compare",
      "Two runs of `trajectory check` side by side, no server needed. Exit "
      "code 0: the later one is not worse, 2: it is, 1: there is no answer");
  const auto flags = std::make_shared<Flags>();
  command
      ->add_option("BEFORE", flags->before,
                   "File of --summary, or of --results")
      ->required();
  command->add_option("AFTER", flags->after, "Another one of the same kind")
      ->required();
  flags::Number(
      command->add_option("--tolerance", flags->tolerance,
                          "Share by which a number may change and count as the "
                          "same (default: 0.01)"),
      0, 1);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
