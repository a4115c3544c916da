// torquectl id
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
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  WrenchFlags wrench;
};

const StateInputs kInputs{{"q", "v", "a"}, {"q"}};

ExitCode Run(Session& session, const Flags& flags) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  Apply(flags.wrench, &options);
  const std::string model = session.ResolveModel(flags.model.model);
  const client::States states =
      LoadStates(session, model, flags.model, kInputs, flags.states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_INVERSE_DYNAMICS},
                         Compute(session, {v1::QUANTITY_INVERSE_DYNAMICS},
                                 model, states, std::move(options)));
}

}  // namespace

void AddInverseDynamics(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "id", "Inverse dynamics: the torques that states need");
  const auto flags = std::make_shared<Flags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
