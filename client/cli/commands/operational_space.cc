// torquectl opspace
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
  TaskFlags task;
};

const StateInputs kInputs{{"q", "v"}, {"q"}};

ExitCode Run(Session& session, const Flags& flags) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  Apply(flags.task, &options);
  const std::string model = session.ResolveModel(flags.model.model);
  const client::States states =
      LoadStates(session, model, flags.model, kInputs, flags.states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_OPERATIONAL_SPACE},
                         Compute(session, {v1::QUANTITY_OPERATIONAL_SPACE},
                                 model, states, std::move(options)));
}

}  // namespace

void AddOperationalSpace(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "opspace", "Operational space: Lambda and eta of the tip");
  const auto flags = std::make_shared<Flags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddTaskFlags(command, &flags->task);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
