// Checks of trajectories on the wire.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "server/wire/model_messages.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// The check that a start asks for. A point of
/// CheckTrajectoryStart.tip_wrench_profile.
struct WrenchAtTime {
  double time = 0;
  std::array<double, 6> wrench = {};
};

struct DecodedCheck {
  TrajectoryOptions options;
  /// Names of the joints in the order of the columns.
  std::vector<std::string> joints;
  std::vector<JointUnits> units;  // of these
  std::optional<SplineMethod> derive;
  /// By number, each once.
  std::vector<v1::TrajectoryTable> tables;
  Payload encoding = Payload::kF64;
  std::vector<WrenchAtTime> wrench_profile;
};

/// Fields of errors are those of the start.
OrError<DecodedCheck> DecodeCheck(const v1::CheckTrajectoryStart& start,
                                  const Model& model);

/// All but the echo and the words.
void FillVerdict(const TrajectoryVerdict& verdict, const DecodedCheck& check,
                 std::span<const double> time, v1::TrajectoryVerdict* wire);

/// Columns of a table for so many joints.
int ColumnsOf(v1::TrajectoryTable table, int joints);

/// The array of a table.
v1::Array* ArrayOf(v1::TrajectoryTable table, v1::TrajectoryRows* rows);

}  // namespace torqued::server
