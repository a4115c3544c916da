// One call of CheckTrajectory, from the first byte to the last.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "client/cpp/trajectory_check.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::client {

/// Throws Error (WRONG_ROW_COUNT) when tables differ in their rows, and where
/// the replies make no sense. Sends messages of about `message_bytes`.
grpc::Status CheckOnce(v1::Trajectories::Stub& stub,
                       grpc::ClientContext& context,
                       const v1::CheckTrajectoryStart& start,
                       const TrajectorySamples& samples,
                       std::int64_t message_bytes, const Progress& progress,
                       TrajectoryCheck* check);

}  // namespace torqued::client
