// torquectl id, mass-matrix, fd, opspace, compute
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/enum_text.h"
#include "client/cli/errors.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/request_flags.h"
#include "client/cli/table_file.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

struct Command {
  const char* name;
  v1::Quantity quantity;  // unspecified: those of the arguments
  const char* about;
};

constexpr Command kCommands[] = {
    {"id", v1::QUANTITY_INVERSE_DYNAMICS,
     "Inverse dynamics: the torques that states need"},
    {"mass-matrix", v1::QUANTITY_MASS_MATRIX,
     "Joint-space inertia matrix M(q)"},
    {"fd", v1::QUANTITY_FORWARD_DYNAMICS,
     "Forward dynamics: the accelerations that torques cause"},
    {"opspace", v1::QUANTITY_OPERATIONAL_SPACE,
     "Operational space: Lambda and eta of the tip"},
    {"compute", v1::QUANTITY_UNSPECIFIED,
     "Any quantities of states, in one call"}};

struct Flags {
  const CLI::App* command = nullptr;
  Fields options;
  Fields tables;
  std::vector<std::string> asked;
  std::vector<v1::Quantity> quantities;
  std::string model;
  std::string states;
};

/// The states of the tables, or those of a file: then `start` names the
/// revision in whose joint order it was read.
client::States LoadStates(Session& session, const Flags& flags,
                          v1::EvaluateStart* start) {
  v1::Options* options = start->mutable_options();
  client::States states = ReadTableFlags(*flags.command, flags.tables, options);
  const auto order = TakeJointOrder(options);
  if (order) {
    options->mutable_joint_names()->Add(order->begin(), order->end());
  }
  TableRules rules;
  for (const std::string_view suffix : {"q", "v", "a", "tau"}) {
    if (!flags.tables.contains(suffix)) continue;
    rules.suffixes.push_back(suffix);
    const bool is_needed =
        suffix == "q" || (suffix == "tau" && flags.asked.empty());
    if (is_needed) rules.required.push_back(suffix);
    const std::string flag = FlagOf(suffix);
    const bool is_given = flags.command->count(flag) > 0;
    if (is_given && !flags.states.empty()) {
      throw UsageError("--states", flag + " is given as well");
    }
    if (is_needed && !is_given && flags.states.empty()) {
      throw UsageError(flag, "give it, or --states with a file");
    }
  }
  if (flags.states.empty()) return states;
  const v1::ModelInfo info = session.client().GetModel(start->model()).model();
  StateTable table = ReadStateTable(flags.states, info, order, rules);
  start->set_model("@" + info.revision());
  session.RemarkUnused(table.name, table.unused);
  states.q = std::move(table.states.q);
  states.v = std::move(table.states.v);
  states.a = std::move(table.states.a);
  states.tau = std::move(table.states.tau);
  return states;
}

/// "coriolis-matrix" and so on, in the order of the contract.
std::vector<std::string> QuantityNames() {
  std::vector<std::string> names = EnumFlags(*v1::Quantity_descriptor());
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '_', '-');
  }
  return names;
}

ExitCode Run(Session& session, const Flags& flags) {
  // In the order of the contract.
  std::set<v1::Quantity> asked(flags.quantities.begin(),
                               flags.quantities.end());
  const std::vector<std::string> names = QuantityNames();
  for (const std::string& name : flags.asked) {
    // Behind UNSPECIFIED.
    const auto number =
        std::find(names.begin(), names.end(), name) - names.begin() + 1;
    if (!asked.insert(static_cast<v1::Quantity>(number)).second) {
      throw UsageError("QUANTITIES", name + " is named twice");
    }
  }
  const std::vector<v1::Quantity> quantities(asked.begin(), asked.end());
  v1::EvaluateStart start;
  ReadFieldFlags(*flags.command, flags.options, &start);
  start.set_model(session.ResolveModel(flags.model));
  const client::States states = LoadStates(session, flags, &start);
  client::ComputeOptions options{start.options(), start.operational_space(),
                                 start.tip_wrench_reference_frame()};
  if (asked.contains(v1::QUANTITY_OPERATIONAL_SPACE)) {
    // Every form of output shows it.
    options.operational_space.set_sigma_min(true);
  }
  options.progress = session.ShowProgress("states");
  return PrintEvaluation(
      session, quantities,
      session.client().Compute(start.model(), quantities, states, options));
}

}  // namespace

void AddDynamics(CLI::App* app, Runner* runner) {
  for (const Command& row : kCommands) {
    const auto flags = std::make_shared<Flags>();
    CLI::App* command =
        AddCommand(app, row.name, row.about, runner,
                   [flags](Session& session) { return Run(session, *flags); });
    flags->command = command;
    if (row.quantity != v1::QUANTITY_UNSPECIFIED) {
      flags->quantities = {row.quantity};
      flags->tables = FieldsOf(row.quantity);
    } else {
      flags::OneOf(command
                       ->add_option("QUANTITIES", flags->asked,
                                    "What to compute; several at will")
                       ->required(),
                   QuantityNames());
      for (int k = v1::Quantity_MIN + 1; k < v1::Quantity_ARRAYSIZE; ++k) {
        flags->tables.merge(FieldsOf(static_cast<v1::Quantity>(k)));
      }
    }
    flags->options = flags->tables;
    flags->options.erase("gravity");  // the table's flag is that of the terms
    AddModelFlag(command, &flags->model);
    AddTableFlags(command, flags->tables);
    command->add_option("--states", flags->states,
                        "File with q, v, a and tau: CSV with columns <joint>.q "
                        "...; or CSV without names or NPY with those blocks in "
                        "the order of --joint-names; or NPZ with arrays of "
                        "these names and joint_names");
    AddFieldFlags(command, *v1::EvaluateStart::descriptor(), flags->options);
    command->footer(
        "Tables have a row for each state or one for all: a,b,... with ; "
        "between rows, or the flag again, or @file.npy or @file.csv.");
  }
}

}  // namespace torqued::cli
