// torquectl models rm
#include <optional>

#include "client/cli/commands/commands.h"

namespace torqued::cli {
namespace {

struct Flags {
  std::string name;
  std::optional<std::string> expected;
};

ExitCode Run(Session& session, const Flags& flags) {
  session.RequireLastingServer("models rm");
  session.client().DeleteModel(flags.name, flags.expected);
  return ExitCode::kOk;
}

}  // namespace

void AddModelsRemove(CLI::App* models, Runner* runner) {
  CLI::App* command =
      models->add_subcommand("rm", "Remove a name with all its history");
  const auto flags = std::make_shared<Flags>();
  command->add_option("NAME", flags->name, "Plain name")->required();
  command->add_option("--expect", flags->expected,
                      "Only when the name points at this revision now");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
