// torquectl id, mass-matrix, fd, opspace, compute
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/compute_flags.h"
#include "client/cli/errors.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/shown_progress.h"
#include "client/cli/state_flags.h"
#include "client/cli/surroundings_flags.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

struct InverseDynamicsFlags {
  ModelFlags model;
  StateFlags states;
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  WrenchFlags wrench;
};

const StateInputs kInverseDynamicsInputs{{"q", "v", "a"}, {"q"}};

ExitCode Run(Session& session, const InverseDynamicsFlags& flags) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  std::string model = session.ResolveModel(flags.model.model);
  client::States states =
      LoadStates(session, &model, flags.model, kInverseDynamicsInputs,
                 flags.states, &options);
  Apply(flags.wrench, &states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_INVERSE_DYNAMICS},
                         Compute(session, {v1::QUANTITY_INVERSE_DYNAMICS},
                                 model, states, std::move(options)));
}

}  // namespace

void AddInverseDynamics(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "id", "Inverse dynamics: the torques that states need");
  const auto flags = std::make_shared<InverseDynamicsFlags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kInverseDynamicsInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

namespace {

struct MassMatrixFlags {
  ModelFlags model;
  StateFlags states;
  PrecisionFlags precision;
};

const StateInputs kMassMatrixInputs{{"q"}, {"q"}};

ExitCode Run(Session& session, const MassMatrixFlags& flags) {
  client::ComputeOptions options;
  Apply(flags.precision, &options);
  std::string model = session.ResolveModel(flags.model.model);
  const client::States states = LoadStates(
      session, &model, flags.model, kMassMatrixInputs, flags.states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_MASS_MATRIX},
                         Compute(session, {v1::QUANTITY_MASS_MATRIX}, model,
                                 states, std::move(options)));
}

}  // namespace

void AddMassMatrix(CLI::App* app, Runner* runner) {
  CLI::App* command =
      app->add_subcommand("mass-matrix", "Joint-space inertia matrix M(q)");
  const auto flags = std::make_shared<MassMatrixFlags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kMassMatrixInputs, &flags->states);
  AddPrecisionFlags(command, &flags->precision);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

namespace {

struct ForwardDynamicsFlags {
  ModelFlags model;
  StateFlags states;
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  WrenchFlags wrench;
};

const StateInputs kForwardDynamicsInputs{{"q", "v", "tau"}, {"q", "tau"}};

ExitCode Run(Session& session, const ForwardDynamicsFlags& flags) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  std::string model = session.ResolveModel(flags.model.model);
  client::States states =
      LoadStates(session, &model, flags.model, kForwardDynamicsInputs,
                 flags.states, &options);
  Apply(flags.wrench, &states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_FORWARD_DYNAMICS},
                         Compute(session, {v1::QUANTITY_FORWARD_DYNAMICS},
                                 model, states, std::move(options)));
}

}  // namespace

void AddForwardDynamics(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "fd", "Forward dynamics: the accelerations that torques cause");
  const auto flags = std::make_shared<ForwardDynamicsFlags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kForwardDynamicsInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

namespace {

struct OperationalSpaceFlags {
  ModelFlags model;
  StateFlags states;
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  TaskFlags task;
};

const StateInputs kOperationalSpaceInputs{{"q", "v"}, {"q"}};

ExitCode Run(Session& session, const OperationalSpaceFlags& flags) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  Apply(flags.task, &options);
  std::string model = session.ResolveModel(flags.model.model);
  const client::States states =
      LoadStates(session, &model, flags.model, kOperationalSpaceInputs,
                 flags.states, &options);
  return PrintEvaluation(session, {v1::QUANTITY_OPERATIONAL_SPACE},
                         Compute(session, {v1::QUANTITY_OPERATIONAL_SPACE},
                                 model, states, std::move(options)));
}

}  // namespace

void AddOperationalSpace(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "opspace", "Operational space: Lambda and eta of the tip");
  const auto flags = std::make_shared<OperationalSpaceFlags>();
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kOperationalSpaceInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddTaskFlags(command, &flags->task);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

namespace {

struct ComputeFlags {
  std::vector<std::string> quantities;
  ModelFlags model;
  StateFlags states;
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  WrenchFlags wrench;
  TaskFlags task;
  SurroundingsFlags surroundings;
};

const StateInputs kComputeInputs{{"q", "v", "a", "tau"}, {"q"}};

// "coriolis-matrix" of QUANTITY_CORIOLIS_MATRIX.
std::string NameOf(v1::Quantity quantity) {
  std::string name = v1::Quantity_Name(quantity).substr(9);
  for (char& c : name) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  }
  return name;
}

std::vector<v1::Quantity> All() {
  std::vector<v1::Quantity> all;
  for (int k = v1::Quantity_MIN + 1; k < v1::Quantity_ARRAYSIZE; ++k) {
    all.push_back(static_cast<v1::Quantity>(k));
  }
  return all;
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const v1::Quantity quantity : All()) names.push_back(NameOf(quantity));
  return names;
}

std::vector<v1::Quantity> QuantitiesOf(const ComputeFlags& flags) {
  std::vector<v1::Quantity> quantities;
  for (const v1::Quantity quantity : All()) {
    const auto asked = std::count(flags.quantities.begin(),
                                  flags.quantities.end(), NameOf(quantity));
    if (asked > 1) {
      throw UsageError("QUANTITY", NameOf(quantity) + " is named twice");
    }
    if (asked == 1) quantities.push_back(quantity);
  }
  return quantities;
}

ExitCode Run(Session& session, const ComputeFlags& flags) {
  const std::vector<v1::Quantity> quantities = QuantitiesOf(flags);
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  Apply(flags.task, &options);
  std::string model = session.ResolveModel(flags.model.model);
  client::States states = LoadStates(session, &model, flags.model,
                                     kComputeInputs, flags.states, &options);
  Apply(flags.wrench, &states, &options);
  Apply(flags.surroundings, &states, &options);
  client::Evaluation evaluation;
  try {
    evaluation = Compute(session, quantities, model, states, options);
  } catch (const client::Error& error) {
    TellReferenceFrame(error, options);
    throw;
  }
  return PrintEvaluation(session, quantities, evaluation);
}

}  // namespace

void AddCompute(CLI::App* app, Runner* runner) {
  CLI::App* command =
      app->add_subcommand("compute", "Any quantities of states, in one call");
  const auto flags = std::make_shared<ComputeFlags>();
  flags::OneOf(command
                   ->add_option("QUANTITY", flags->quantities,
                                "What to compute; several at will")
                   ->required(),
               AllNames());
  AddModelFlags(command, &flags->model);
  AddStateFlags(command, kComputeInputs, &flags->states);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  AddTaskFlags(command, &flags->task);
  AddSurroundingsFlags(command, &flags->surroundings);
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli
