// Options of operational-space dynamics.
#pragma once

#include <optional>

#include "core/dynamics/operational_space.h"
#include "server/errors/error.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// Refuses unknown and repeated axes, numbers out of range, and damping that
/// contradicts the singularity rule.
std::optional<Error> DecodeTask(const v1::OperationalSpaceOptions& options,
                                TaskOptions* task);

/// With defaults filled in.
void EncodeTask(const TaskOptions& task, v1::OperationalSpaceOptions* options);

}  // namespace torqued::server
