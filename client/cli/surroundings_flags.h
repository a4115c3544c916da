// What a robot meets beside its own state, and what its task is to do, from the
// command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Numbers as for --q: one row or one per state.
struct SurroundingsFlags {
  std::vector<std::string> base_twist;
  std::vector<std::string> base_acceleration;
  std::vector<std::string> gravity;
  /// FRAME[:REFERENCE]=NUMBERS each.
  std::vector<std::string> external_wrenches;
  std::vector<std::string> task_acceleration;
  std::vector<std::string> null_space_torque;
};
void AddSurroundingsFlags(CLI::App* command, SurroundingsFlags* flags);

/// Throws UsageError or DataError.
void Apply(const SurroundingsFlags& flags, client::States* states,
           client::ComputeOptions* options);

}  // namespace torqued::cli
