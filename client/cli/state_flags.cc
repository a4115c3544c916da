#include "client/cli/state_flags.h"

#include <CLI/CLI.hpp>

#include "client/cli/errors.h"
#include "client/cli/number_lists.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// What was given for an input; none for one that the command does not have.
std::vector<std::string> Texts(const StateFlags& flags,
                               std::string_view suffix) {
  const auto found = flags.inputs.find(suffix);
  return found == flags.inputs.end() ? std::vector<std::string>()
                                     : found->second;
}

std::string HelpText(std::string_view suffix) {
  if (suffix == "q") {
    return "Joint positions, rad or m: 0,0.1,... with ; between states, or "
           "repeated, or @file.npy, @file.csv";
  }
  if (suffix == "v") return "Joint velocities (default: zeros)";
  if (suffix == "a") return "Joint accelerations (default: zeros)";
  return "Joint torques or forces, N m or N";
}

std::string Joined(const Suffixes& suffixes) {
  std::string text;
  for (const std::string_view suffix : suffixes) {
    text += (text.empty() ? "<joint>." : ", <joint>.") + std::string(suffix);
  }
  return text;
}

}  // namespace

void AddStateFlags(CLI::App* command, const StateInputs& inputs,
                   StateFlags* flags) {
  for (const std::string_view suffix : inputs.all) {
    command
        ->add_option("--" + std::string(suffix), flags->inputs[suffix],
                     HelpText(suffix))
        ->allow_extra_args(false);
  }
  command->add_option("--states", flags->states,
                      "CSV file with columns " + Joined(inputs.all) +
                          "; or CSV without names or NPY with those blocks "
                          "in the order of --joints; or NPZ with arrays of "
                          "these names and joint_names");
}

client::States LoadStates(Session& session, std::string* model,
                          const ModelFlags& model_flags,
                          const StateInputs& inputs, const StateFlags& flags,
                          client::ComputeOptions* options) {
  const std::vector<std::string> joints = JointOrder(model_flags);
  options->options.mutable_joint_names()->Add(joints.begin(), joints.end());
  if (flags.states.empty()) {
    for (const std::string_view suffix : inputs.required) {
      if (Texts(flags, suffix).empty()) {
        throw UsageError("--" + std::string(suffix),
                         "is needed, or --states with a file");
      }
    }
    const auto batch = [&flags](const std::string& suffix) {
      return ParseBatch("--" + suffix, Texts(flags, suffix));
    };
    return {batch("q"), batch("v"), batch("a"), batch("tau")};
  }

  for (const std::string_view suffix : inputs.all) {
    if (!Texts(flags, suffix).empty()) {
      throw UsageError("--states",
                       "--" + std::string(suffix) + " is given as well");
    }
  }
  std::optional<std::vector<std::string>> order;
  if (!model_flags.joints.empty()) order = joints;
  const v1::ModelInfo info = session.client().GetModel(*model).model();
  StateTable table =
      ReadStateTable(flags.states, info, order,
                     {inputs.all, inputs.required, /*with_time=*/false});
  *model = "@" + info.revision();
  RemarkUnused(session, table.name, table.unused);
  return std::move(table.states);
}

void RemarkUnused(Session& session, const std::string& file,
                  const std::vector<std::string>& columns) {
  if (columns.empty()) return;
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t k = 0; k < columns.size() && k <= kShown; ++k) {
    names += (k == 0 ? "" : ", ") +
             (k == kShown ? "..." : PlainText(columns[k], 128));
  }
  session.Remark(file + ": not used: " + names);
}

}  // namespace torqued::cli
