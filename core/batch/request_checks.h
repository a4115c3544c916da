// What of a request can be checked before its numbers are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/batch/evaluation.h"
#include "core/model/model.h"

namespace torqued {

/// A request without states, as it was understood.
struct CheckedRequest {
  std::shared_ptr<const Model> model;  // with the payload
  /// With gravity, and with the frames of payload and wrenches.
  EvaluationOptions options;
  /// Inputs that some quantity reads.
  InputBits reads = 0;
  OutputBits outputs = 0;
  /// Named by the options, or the model's; nothing when neither settles it.
  std::optional<int> tip_frame;
  /// Joint index that stands at place k of the caller's order; empty: k.
  std::vector<int> joint_order;
  /// Where the external wrenches act, in the order of the options.
  std::vector<WrenchPlace> wrench_places;

  /// Of one dimension of a Shape.
  int SizeOf(int dimension) const;
  /// Numbers per row.
  int ColumnsOf(const Shape& shape) const;
};

// All of these throw ArgumentError.

/// See CheckedRequest. The names must be those of all movable joints, or none.
std::vector<int> ResolveJointOrder(const Model& model,
                                   const std::vector<std::string>& names);

CheckedRequest CheckRequest(std::shared_ptr<const Model> model,
                            EvaluationOptions options);

/// The number of rows. Allocates nothing.
std::int64_t CheckStates(const CheckedRequest& request,
                         const EvaluationInputs& inputs);

}  // namespace torqued
