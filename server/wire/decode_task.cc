#include "server/wire/decode_task.h"

#include <cmath>
#include <string>

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

Error InvalidOption(const std::string& name, std::string message) {
  return FieldError(v1::INVALID_OPTION, "operational_space." + name,
                    std::move(message));
}

std::optional<Error> DecodeAxes(const v1::OperationalSpaceOptions& options,
                                TaskOptions* task) {
  if (options.axes().empty()) return std::nullopt;
  task->axis_count = 0;
  unsigned seen = 0;
  for (int i = 0; i < options.axes_size(); ++i) {
    const std::string field = "axes[" + std::to_string(i) + "]";
    const std::optional<std::uint8_t> axis = ToAxis(options.axes(i));
    if (!axis) {
      return InvalidOption(
          field, std::to_string(options.axes(i)) + " is no task axis");
    }
    // Six different axes fill the array; a seventh is a repetition.
    if ((seen >> *axis & 1u) != 0) {
      return InvalidOption(
          field, v1::TaskAxis_Name(options.axes(i)) + " was named before");
    }
    seen |= 1u << *axis;
    task->axes[static_cast<std::size_t>(task->axis_count++)] = *axis;
  }
  return std::nullopt;
}

std::optional<Error> DecodeSingularity(
    const v1::OperationalSpaceOptions& options, TaskOptions* task) {
  const std::optional<SingularityRule> rule =
      ToSingularityRule(options.singularity());
  if (!rule) {
    return InvalidOption("singularity", std::to_string(options.singularity()) +
                                            " is no singularity rule");
  }
  task->singularity = *rule;
  task->damping = options.damping();
  if (*rule == SingularityRule::kDamped) {
    if (!(std::isfinite(task->damping) && task->damping > 0)) {
      return InvalidOption("damping", "must be finite and > 0 under DAMPED");
    }
  } else if (task->damping != 0) {  // also when it is not a number
    return InvalidOption("damping", "must be absent or 0 under REPORT");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> DecodeTask(const v1::OperationalSpaceOptions& options,
                                TaskOptions* task) {
  if (auto error = DecodeAxes(options, task)) return error;
  if (auto error = DecodeSingularity(options, task)) return error;
  if (options.has_rank_tolerance()) {
    task->rank_tolerance = options.rank_tolerance();
    if (!(task->rank_tolerance >= 0 && task->rank_tolerance < 1)) {
      return InvalidOption("rank_tolerance", "must be >= 0 and < 1");
    }
  }
  if (options.has_characteristic_length()) {
    task->characteristic_length = options.characteristic_length();
    if (!(task->characteristic_length >= kLeastLength &&
          task->characteristic_length <= kLargestLength)) {
      return InvalidOption("characteristic_length",
                           "must be from 1e-30 to 1e30");
    }
  }
  return std::nullopt;
}

void EncodeTask(const TaskOptions& task, v1::OperationalSpaceOptions* options) {
  for (int i = 0; i < task.axis_count; ++i) {
    options->add_axes(ToWireAxis(task.axes[static_cast<std::size_t>(i)]));
  }
  options->set_singularity(ToWire(task.singularity));
  options->set_damping(task.damping);
  options->set_rank_tolerance(task.rank_tolerance);
  options->set_characteristic_length(task.characteristic_length);
}

}  // namespace torqued::server
