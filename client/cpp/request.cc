#include "client/cpp/request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/cpp/array_codec.h"
#include "client/cpp/error.h"
#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

using NamedInput = std::pair<const char*, const Batch*>;

std::array<NamedInput, 11> Inputs(const States& states,
                                  const ComputeOptions& options) {
  static const Batch kNone;
  const Batch* wrench = options.tip_wrench_on_environment
                            ? &options.tip_wrench_on_environment->wrench
                            : &kNone;
  return {{{"q", &states.q},
           {"v", &states.v},
           {"a", &states.a},
           {"tau", &states.tau},
           {"tip_wrench_on_environment", wrench},
           {"base_twist", &states.base_twist},
           {"base_acceleration", &states.base_acceleration},
           {"external_wrenches_on_robot", &states.external_wrenches_on_robot},
           {"task_acceleration", &states.task_acceleration},
           {"null_space_torque", &states.null_space_torque},
           {"gravity", &states.gravity}}};
}

template <class MutableArray>
void AddRows(const Batch& batch, const RowRange& range,
             const MutableArray& mutable_array) {
  if (batch.size() == 0) return;
  if (batch.rows() == 1) {
    EncodeRows(batch, 0, 1, mutable_array());
  } else {
    EncodeRows(batch, range.first, range.count, mutable_array());
  }
}

// nv is not known here; it never exceeds the columns of any joint input.
std::int64_t JointColumns(const States& states) {
  return std::max(
      {states.q.cols(), states.v.cols(), states.a.cols(), states.tau.cols()});
}

}  // namespace

std::int64_t CountStates(const States& states, const ComputeOptions& options) {
  const auto inputs = Inputs(states, options);
  std::int64_t rows = 0;
  const char* longest = "";
  for (const auto& [name, batch] : inputs) {
    if (batch->size() > 0 && batch->rows() > rows) {
      rows = batch->rows();
      longest = name;
    }
  }
  for (const auto& [name, batch] : inputs) {
    if (batch->size() == 0 || batch->rows() == 1 || batch->rows() == rows) {
      continue;
    }
    const std::string message = std::string(name) + " has " +
                                std::to_string(batch->rows()) + " rows, " +
                                longest + " has " + std::to_string(rows);
    throw Error(
        grpc::StatusCode::INVALID_ARGUMENT, message,
        {v1::Reason_Name(v1::WRONG_ROW_COUNT), {}, {{name, message}}, {}});
  }
  return rows;
}

v1::ComputeRequest MakeRequest(const std::string& model,
                               std::span<const v1::Quantity> quantities,
                               const ComputeOptions& options) {
  v1::ComputeRequest request;
  request.set_model(model);
  request.mutable_quantities()->Add(quantities.begin(), quantities.end());

  v1::Options& wire = *request.mutable_options();
  wire.mutable_joint_names()->Add(options.joint_names.begin(),
                                  options.joint_names.end());
  if (options.gravity) {
    wire.mutable_terms()->mutable_gravity()->Add(options.gravity->begin(),
                                                 options.gravity->end());
  }
  wire.mutable_terms()->set_viscous_friction(options.viscous_friction);
  wire.mutable_terms()->set_coulomb_friction(options.coulomb_friction);
  wire.mutable_terms()->set_coulomb_smoothing(options.coulomb_smoothing);
  wire.set_tip_frame(options.tip_frame);
  wire.set_reference_frame(options.reference_frame);
  wire.set_encoding(v1::ENCODING_F64);
  wire.set_fail_fast(options.fail_fast);
  wire.set_precision(options.precision);
  for (const WrenchPlace& wrench : options.external_wrenches) {
    v1::WrenchPlace& place = *wire.add_external_wrenches();
    place.set_frame(wrench.frame);
    place.set_reference_frame(wrench.reference_frame);
  }
  if (options.payload) {
    const Payload& payload = *options.payload;
    v1::Payload& message = *wire.mutable_payload();
    message.set_frame(payload.frame);
    message.set_mass(payload.mass);
    message.mutable_center_of_mass()->Add(payload.center_of_mass.begin(),
                                          payload.center_of_mass.end());
    message.mutable_inertia()->Add(payload.inertia.begin(),
                                   payload.inertia.end());
  }

  if (std::any_of(quantities.begin(), quantities.end(),
                  [](v1::Quantity quantity) {
                    return quantity == v1::QUANTITY_OPERATIONAL_SPACE ||
                           quantity == v1::QUANTITY_TASK_PROJECTION ||
                           quantity == v1::QUANTITY_TASK_TORQUE;
                  })) {
    const TaskOptions& task = options.task;
    v1::OperationalSpaceOptions& space = *request.mutable_operational_space();
    for (const v1::TaskAxis axis : task.axes) space.add_axes(axis);
    if (task.damping) {
      space.set_singularity(v1::SINGULARITY_RULE_DAMPED);
      space.set_damping(*task.damping);
    }
    if (task.rank_tolerance) space.set_rank_tolerance(*task.rank_tolerance);
    if (task.characteristic_length) {
      space.set_characteristic_length(*task.characteristic_length);
    }
    space.set_sigma_min(task.sigma_min);
  }
  if (options.tip_wrench_on_environment) {
    request.mutable_tip_wrench_on_environment()->set_reference_frame(
        options.tip_wrench_on_environment->reference_frame);
  }
  return request;
}

void AddRows(const States& states, const ComputeOptions& options,
             const RowRange& range, v1::ComputeRequest* request) {
  AddRows(states.q, range, [&] { return request->mutable_q(); });
  AddRows(states.v, range, [&] { return request->mutable_v(); });
  AddRows(states.a, range, [&] { return request->mutable_a(); });
  AddRows(states.tau, range, [&] { return request->mutable_tau(); });
  AddRows(states.base_twist, range,
          [&] { return request->mutable_base_twist(); });
  AddRows(states.base_acceleration, range,
          [&] { return request->mutable_base_acceleration(); });
  AddRows(states.external_wrenches_on_robot, range,
          [&] { return request->mutable_external_wrenches_on_robot(); });
  AddRows(states.task_acceleration, range,
          [&] { return request->mutable_task_acceleration(); });
  AddRows(states.null_space_torque, range,
          [&] { return request->mutable_null_space_torque(); });
  AddRows(states.gravity, range, [&] { return request->mutable_gravity(); });
  if (options.tip_wrench_on_environment) {
    AddRows(options.tip_wrench_on_environment->wrench, range, [&] {
      return request->mutable_tip_wrench_on_environment()->mutable_wrench();
    });
  }
}

std::int64_t RowsPerCall(std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         const BatchLimits& limits) {
  return RowsPerCall(RequestBytesPerRow(states, options),
                     ReplyBytesPerRow(quantities, states, options), limits);
}

std::int64_t RequestBytesPerRow(const States& states,
                                const ComputeOptions& options) {
  std::int64_t numbers = 0;
  for (const auto& [name, batch] : Inputs(states, options)) {
    if (batch->rows() > 1) numbers += batch->cols();
  }
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t ReplyBytesPerRow(std::span<const v1::Quantity> quantities,
                              const States& states,
                              const ComputeOptions& options) {
  const std::int64_t nv = JointColumns(states);
  const std::int64_t axes =
      options.task.axes.empty()
          ? 6
          : static_cast<std::int64_t>(options.task.axes.size());
  std::int64_t numbers = 0;
  for (const v1::Quantity quantity : quantities) {
    std::int64_t of_quantity = 0;
    for (const ResultField& field : ResultFields()) {
      if (field.info->quantity() == quantity) {
        of_quantity += Columns(*field.info, nv, axes);
      }
    }
    if (quantity == v1::QUANTITY_OPERATIONAL_SPACE) {
      // Rank and rule take a byte or two.
      of_quantity += options.task.sigma_min ? 2 : 1;
    }
    // One that this library does not know: as large as most.
    numbers += of_quantity != 0 ? of_quantity : std::max(nv * nv, 6 * nv);
  }
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace torqued::client
