// Requests, as what the engine understands.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/batch/evaluation.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// A view of the fields of a request, or of those that a stream's start or
/// chunk has: the one shape that Compute, its shorthands and Evaluate share.
/// Null: absent.
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
  /// By Input.
  std::array<const v1::Array*, kInputCount> states{};
  /// Path of the wrench in the request.
  std::string_view tip_wrench_field = "tip_wrench_on_environment.wrench";
};

/// Of ComputeRequest, its shorthands, EvaluateStart and EvaluateChunk.
template <class Message>
ComputeFields FieldsOf(const Message& message);

/// What to compute.
struct DecodedQuery {
  EvaluationOptions options;
  /// Of the reply's arrays; nothing: that of q.
  std::optional<Payload> encoding;
  bool fail_fast = false;
  /// Return the smallest singular values.
  bool sigma_min = false;
};

/// Checks everything that can be said without the model.
OrError<DecodedQuery> DecodeQuery(const ComputeFields& view);

/// Views of the request's memory, checked as far as that goes without the
/// model.
OrError<EvaluationInputs> DecodeStates(const ComputeFields& view);

/// Encoding of the reply when the query leaves it open.
Payload EncodingOf(const ComputeFields& view);

/// Refuses unknown and repeated axes, numbers out of range, and damping that
/// contradicts the singularity rule.
std::optional<Error> DecodeTask(const v1::OperationalSpaceOptions& options,
                                TaskOptions* task);

/// Refuses a number of an enum that is `no` known value.
template <class Core>
std::optional<Error> DecodeEnum(std::optional<Core> known, int number,
                                v1::Reason reason, std::string_view field,
                                std::string_view no, Core* decoded) {
  if (!known) {
    return FieldError(reason, std::string(field),
                      std::to_string(number) + " is no " + std::string(no));
  }
  *decoded = *known;
  return std::nullopt;
}

}  // namespace torqued::server
