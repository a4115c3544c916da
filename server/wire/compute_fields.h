// The one shape that Compute, its shorthands and Evaluate share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// A view of the fields of a request, or of those that a stream's start or
/// chunk has. Null: absent.
struct ComputeFields {
  const std::string* model = nullptr;
  /// Numbers of v1.Quantity, as they came.
  std::span<const int> quantities;
  const v1::Options* options = nullptr;
  const v1::OperationalSpaceOptions* operational_space = nullptr;
  /// A number of v1.ReferenceFrame, as it came, and its path in the request.
  int wrench_frame = v1::REFERENCE_FRAME_UNSPECIFIED;
  std::string_view wrench_frame_field =
      "tip_wrench_on_environment.reference_frame";

  const v1::Array* q = nullptr;
  const v1::Array* v = nullptr;
  const v1::Array* a = nullptr;
  const v1::Array* tau = nullptr;
  const v1::Array* tip_wrench = nullptr;
  const v1::Array* base_twist = nullptr;
  const v1::Array* base_acceleration = nullptr;
  const v1::Array* external_wrenches = nullptr;
  const v1::Array* task_acceleration = nullptr;
  const v1::Array* null_space_torque = nullptr;
  const v1::Array* gravity = nullptr;
  /// Path of the wrench in the request.
  std::string_view tip_wrench_field = "tip_wrench_on_environment.wrench";
};

ComputeFields FieldsOf(const v1::ComputeRequest& request);
ComputeFields FieldsOf(const v1::InverseDynamicsRequest& request);
ComputeFields FieldsOf(const v1::MassMatrixRequest& request);
ComputeFields FieldsOf(const v1::ForwardDynamicsRequest& request);
ComputeFields FieldsOf(const v1::OperationalSpaceRequest& request);
ComputeFields FieldsOf(const v1::EvaluateStart& start);
ComputeFields FieldsOf(const v1::EvaluateChunk& chunk);

/// Moves what a shorthand returns, but for the echo, out of the general reply.
/// Nothing is copied where both are in one arena.
void MoveReply(v1::ComputeReply* from, v1::InverseDynamicsReply* to);
void MoveReply(v1::ComputeReply* from, v1::MassMatrixReply* to);
void MoveReply(v1::ComputeReply* from, v1::ForwardDynamicsReply* to);
void MoveReply(v1::ComputeReply* from, v1::OperationalSpaceReply* to);

}  // namespace torqued::server
