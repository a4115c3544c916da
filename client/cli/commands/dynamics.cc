// torquectl id, mass-matrix, fd, opspace, compute
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/enum_text.h"
#include "client/cli/errors.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/request_flags.h"
#include "client/cli/shown_progress.h"
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
  std::vector<v1::Quantity> quantities = flags.quantities;
  const std::vector<std::string> names = QuantityNames();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto count =
        std::count(flags.asked.begin(), flags.asked.end(), names[k]);
    if (count > 1) throw UsageError("QUANTITIES", names[k] + " is named twice");
    // Behind UNSPECIFIED.
    if (count == 1) quantities.push_back(static_cast<v1::Quantity>(k + 1));
  }
  v1::EvaluateStart start;
  ReadFieldFlags(*flags.command, flags.options, &start);
  start.set_model(session.ResolveModel(flags.model));
  const client::States states = LoadStates(session, flags, &start);
  client::ComputeOptions options{start.options(), start.operational_space(),
                                 start.tip_wrench_reference_frame()};
  if (std::count(quantities.begin(), quantities.end(),
                 v1::QUANTITY_OPERATIONAL_SPACE) > 0) {
    // Every form of output shows it.
    options.operational_space.set_sigma_min(true);
  }
  return PrintEvaluation(
      session, quantities,
      Compute(session, quantities, start.model(), states, std::move(options)));
}

}  // namespace

void AddDynamics(CLI::App* app, Runner* runner) {
  for (const Command& row : kCommands) {
    CLI::App* command = app->add_subcommand(row.name, row.about);
    const auto flags = std::make_shared<Flags>();
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
    command->callback([flags, runner] {
      *runner = [flags](Session& session) { return Run(session, *flags); };
    });
  }
}

}  // namespace torqued::cli
