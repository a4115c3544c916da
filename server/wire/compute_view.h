// The one shape that Compute and its shorthands share.
#pragma once

#include <span>
#include <string>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// A view of a request. Null: absent.
struct ComputeView {
  const std::string* model = nullptr;
  /// Numbers of v1.Quantity, as they came.
  std::span<const int> quantities;
  const v1::Array* q = nullptr;
  const v1::Array* v = nullptr;
  const v1::Array* a = nullptr;
  const v1::Array* tau = nullptr;
  const v1::TipWrench* tip_wrench = nullptr;
  const v1::Options* options = nullptr;
  const v1::OperationalSpaceOptions* task = nullptr;
};

ComputeView ViewOf(const v1::ComputeRequest& request);
ComputeView ViewOf(const v1::InverseDynamicsRequest& request);
ComputeView ViewOf(const v1::MassMatrixRequest& request);
ComputeView ViewOf(const v1::ForwardDynamicsRequest& request);
ComputeView ViewOf(const v1::OperationalSpaceRequest& request);

/// Moves what a shorthand returns out of the general reply; nothing is copied.
void MoveReply(v1::ComputeReply* from, v1::ComputeReply* to);
void MoveReply(v1::ComputeReply* from, v1::InverseDynamicsReply* to);
void MoveReply(v1::ComputeReply* from, v1::MassMatrixReply* to);
void MoveReply(v1::ComputeReply* from, v1::ForwardDynamicsReply* to);
void MoveReply(v1::ComputeReply* from, v1::OperationalSpaceReply* to);

}  // namespace torqued::server
