// States from the command line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/compute_flags.h"
#include "client/cli/session.h"
#include "client/cli/table_file.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

/// Which inputs a quantity has, of q, v, a, tau; and which it must have.
struct StateInputs {
  Suffixes all;
  Suffixes required;
};

struct StateFlags {
  /// Texts of --q, --v, --a and --tau, by suffix.
  std::map<std::string_view, std::vector<std::string>> inputs;
  std::string states;
};
void AddStateFlags(CLI::App* command, const StateInputs& inputs,
                   StateFlags* flags);

/// Fills in the states and `options.joint_names`. A file with columns by name
/// is read in the joint order of one revision, which `model` then names. Throws
/// UsageError, DataError or client::Error.
client::States LoadStates(Session& session, std::string* model,
                          const ModelFlags& model_flags,
                          const StateInputs& inputs, const StateFlags& flags,
                          client::ComputeOptions* options);

/// Says which columns of a file were not used.
void RemarkUnused(Session& session, const std::string& file,
                  const std::vector<std::string>& columns);

}  // namespace torqued::cli
