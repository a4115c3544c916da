// What a robot meets beside its own state, and what its task is to do, from the
// command line.
#pragma once

#include <string>
#include <vector>

#include "client/cpp/error.h"
#include "client/cpp/states.h"

namespace CLI {
class App;
}  // namespace CLI

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

/// Throws a UsageError where the server has refused the frame of an
/// --external-wrench whose end is nearly the name of a reference frame, which a
/// link may have; returns where the error is another one.
void TellReferenceFrame(const client::Error& error,
                        const client::ComputeOptions& options);

}  // namespace torqued::cli
