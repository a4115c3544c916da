#include "server/wire/compute_view.h"

#include <utility>

namespace torqued::server {
namespace {

constexpr int kInverseDynamics[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr int kMassMatrix[] = {v1::QUANTITY_MASS_MATRIX};
constexpr int kForwardDynamics[] = {v1::QUANTITY_FORWARD_DYNAMICS};
constexpr int kOperationalSpace[] = {v1::QUANTITY_OPERATIONAL_SPACE};

/// What every request has.
template <class Request>
ComputeView CommonView(const Request& request) {
  ComputeView view;
  view.model = &request.model();
  if (request.has_q()) view.q = &request.q();
  if (request.has_options()) view.options = &request.options();
  return view;
}

/// What every reply has.
template <class Reply>
void MoveCommon(v1::ComputeReply* from, Reply* to) {
  to->set_rows(from->rows());
  *to->mutable_row_status() = std::move(*from->mutable_row_status());
  to->set_rows_not_ok(from->rows_not_ok());
  *to->mutable_echo() = std::move(*from->mutable_echo());
}

}  // namespace

ComputeView ViewOf(const v1::ComputeRequest& request) {
  ComputeView view = CommonView(request);
  view.quantities = {request.quantities().data(),
                     static_cast<std::size_t>(request.quantities_size())};
  if (request.has_v()) view.v = &request.v();
  if (request.has_a()) view.a = &request.a();
  if (request.has_tau()) view.tau = &request.tau();
  if (request.has_tip_wrench_on_environment()) {
    view.tip_wrench = &request.tip_wrench_on_environment();
  }
  if (request.has_operational_space()) {
    view.task = &request.operational_space();
  }
  return view;
}

ComputeView ViewOf(const v1::InverseDynamicsRequest& request) {
  ComputeView view = CommonView(request);
  view.quantities = kInverseDynamics;
  if (request.has_v()) view.v = &request.v();
  if (request.has_a()) view.a = &request.a();
  if (request.has_tip_wrench_on_environment()) {
    view.tip_wrench = &request.tip_wrench_on_environment();
  }
  return view;
}

ComputeView ViewOf(const v1::MassMatrixRequest& request) {
  ComputeView view = CommonView(request);
  view.quantities = kMassMatrix;
  return view;
}

ComputeView ViewOf(const v1::ForwardDynamicsRequest& request) {
  ComputeView view = CommonView(request);
  view.quantities = kForwardDynamics;
  if (request.has_v()) view.v = &request.v();
  if (request.has_tau()) view.tau = &request.tau();
  if (request.has_tip_wrench_on_environment()) {
    view.tip_wrench = &request.tip_wrench_on_environment();
  }
  return view;
}

ComputeView ViewOf(const v1::OperationalSpaceRequest& request) {
  ComputeView view = CommonView(request);
  view.quantities = kOperationalSpace;
  if (request.has_v()) view.v = &request.v();
  if (request.has_operational_space()) {
    view.task = &request.operational_space();
  }
  return view;
}

void MoveReply(v1::ComputeReply* from, v1::ComputeReply* to) {
  *to = std::move(*from);
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
