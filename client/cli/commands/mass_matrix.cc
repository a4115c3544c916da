// torquectl mass-matrix
#include "client/cli/commands/commands.h"
#include "client/cli/compute_flags.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/shown_progress.h"
#include "client/cli/state_flags.h"

namespace torqued::cli {
namespace {

struct Flags {
  ModelFlags model;
  StateFlags states;
  PrecisionFlags precision;
};

const StateInputs kInputs{{"q"}, {"q"}};

ExitCode Run(Session& session, const Flags& flags) {
  client::ComputeOptions options;
  Apply(flags.precision, &options);
  const std::string model = session.ResolveModel(flags.model.model);
  const client::States states =
      LoadStates(session, model, flags.model, kInputs, flags.states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_MASS_MATRIX},
                         Compute(session, {v1::QUANTITY_MASS_MATRIX}, model,
                                 states, std::move(options)));
}

}  // namespace

void AddMassMatrix(CLI::App* app, Runner* runner) {
  CLI::App* command =
      app->add_subcommand("mass-matrix", "Joint-space inertia matrix M(q)");
  const auto flags = std::make_shared<Flags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kInputs, &flags->states);
  AddPrecisionFlags(command, &flags->precision);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
