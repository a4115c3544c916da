#include "server/wire/compute_fields.h"

#include <utility>

#include "core/batch/evaluation.h"

namespace torqued::server {
namespace {

constexpr int kInverseDynamics[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr int kMassMatrix[] = {v1::QUANTITY_MASS_MATRIX};
constexpr int kForwardDynamics[] = {v1::QUANTITY_FORWARD_DYNAMICS};
constexpr int kOperationalSpace[] = {v1::QUANTITY_OPERATIONAL_SPACE};

/// What every request has.
template <class Request>
ComputeFields CommonFields(const Request& request) {
  ComputeFields view;
  view.model = &request.model();
  if (request.has_q()) view.q = &request.q();
  if (request.has_options()) view.options = &request.options();
  return view;
}

template <class Request>
void TakeWrench(const Request& request, ComputeFields* view) {
  if (!request.has_tip_wrench_on_environment()) return;
  const v1::TipWrench& wrench = request.tip_wrench_on_environment();
  view->tip_wrench = &wrench.wrench();
  view->wrench_frame = wrench.reference_frame();
}

/// The states that only messages with a list of quantities have.
template <class Message>
void TakeFurtherStates(const Message& message, ComputeFields* states) {
  if (message.has_v()) states->v = &message.v();
  if (message.has_a()) states->a = &message.a();
  if (message.has_tau()) states->tau = &message.tau();
  if (message.has_base_twist()) states->base_twist = &message.base_twist();
  if (message.has_base_acceleration()) {
    states->base_acceleration = &message.base_acceleration();
  }
  if (message.has_external_wrenches_on_robot()) {
    states->external_wrenches = &message.external_wrenches_on_robot();
  }
  if (message.has_task_acceleration()) {
    states->task_acceleration = &message.task_acceleration();
  }
  if (message.has_null_space_torque()) {
    states->null_space_torque = &message.null_space_torque();
  }
  if (message.has_gravity()) states->gravity = &message.gravity();
}

/// The quantities of a message that lists them.
template <class Message>
std::span<const int> QuantitiesOf(const Message& message) {
  return {message.quantities().data(),
          static_cast<std::size_t>(message.quantities_size())};
}

/// What every reply has.
template <class Reply>
void MoveCommon(v1::ComputeReply* from, Reply* to) {
  to->set_rows(from->rows());
  *to->mutable_row_status() = std::move(*from->mutable_row_status());
  to->set_rows_not_ok(from->rows_not_ok());
}

}  // namespace

ComputeFields FieldsOf(const v1::ComputeRequest& request) {
  ComputeFields view = CommonFields(request);
  view.quantities = QuantitiesOf(request);
  TakeFurtherStates(request, &view);
  TakeWrench(request, &view);
  if (request.has_operational_space()) {
    view.operational_space = &request.operational_space();
  }
  return view;
}

ComputeFields FieldsOf(const v1::InverseDynamicsRequest& request) {
  ComputeFields view = CommonFields(request);
  view.quantities = kInverseDynamics;
  if (request.has_v()) view.v = &request.v();
  if (request.has_a()) view.a = &request.a();
  TakeWrench(request, &view);
  return view;
}

ComputeFields FieldsOf(const v1::MassMatrixRequest& request) {
  ComputeFields view = CommonFields(request);
  view.quantities = kMassMatrix;
  return view;
}

ComputeFields FieldsOf(const v1::ForwardDynamicsRequest& request) {
  ComputeFields view = CommonFields(request);
  view.quantities = kForwardDynamics;
  if (request.has_v()) view.v = &request.v();
  if (request.has_tau()) view.tau = &request.tau();
  TakeWrench(request, &view);
  return view;
}

ComputeFields FieldsOf(const v1::OperationalSpaceRequest& request) {
  ComputeFields view = CommonFields(request);
  view.quantities = kOperationalSpace;
  if (request.has_v()) view.v = &request.v();
  if (request.has_operational_space()) {
    view.operational_space = &request.operational_space();
  }
  return view;
}

ComputeFields FieldsOf(const v1::EvaluateStart& start) {
  ComputeFields view;
  view.model = &start.model();
  view.quantities = QuantitiesOf(start);
  if (start.has_options()) view.options = &start.options();
  if (start.has_operational_space()) {
    view.operational_space = &start.operational_space();
  }
  view.wrench_frame = start.tip_wrench_reference_frame();
  view.wrench_frame_field = "tip_wrench_reference_frame";
  return view;
}

ComputeFields FieldsOf(const v1::EvaluateChunk& chunk) {
  ComputeFields view;
  if (chunk.has_q()) view.q = &chunk.q();
  TakeFurtherStates(chunk, &view);
  if (chunk.has_tip_wrench_on_environment()) {
    view.tip_wrench = &chunk.tip_wrench_on_environment();
  }
  view.tip_wrench_field = ToString(Input::kTipWrench);
  return view;
}

void MoveReply(v1::ComputeReply* from, v1::InverseDynamicsReply* to) {
  MoveCommon(from, to);
  *to->mutable_tau() = std::move(*from->mutable_results()->mutable_tau());
}

void MoveReply(v1::ComputeReply* from, v1::MassMatrixReply* to) {
  MoveCommon(from, to);
  *to->mutable_mass_matrix() =
      std::move(*from->mutable_results()->mutable_mass_matrix());
}

void MoveReply(v1::ComputeReply* from, v1::ForwardDynamicsReply* to) {
  MoveCommon(from, to);
  *to->mutable_a() = std::move(*from->mutable_results()->mutable_a());
}

void MoveReply(v1::ComputeReply* from, v1::OperationalSpaceReply* to) {
  MoveCommon(from, to);
  v1::Results* results = from->mutable_results();
  *to->mutable_lambda() = std::move(*results->mutable_lambda());
  *to->mutable_eta() = std::move(*results->mutable_eta());
  *to->mutable_rank() = std::move(*results->mutable_rank());
  *to->mutable_sigma_min() = std::move(*results->mutable_sigma_min());
  *to->mutable_rule() = std::move(*results->mutable_rule());
}

}  // namespace torqued::server
