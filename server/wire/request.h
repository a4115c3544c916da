// Requests, as what the engine understands.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/engine/evaluation.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// A view of the fields of a request, or of those that a stream's start or
/// chunk has, as Compute, its shorthands and Evaluate share them. Null: absent.
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

/// The request of ComputeRequest, its shorthands, EvaluateStart and
/// EvaluateChunk.
template <class Message>
ComputeFields FieldsOf(const Message& message);

/// The quantities to compute.
struct DecodedQuery {
  EvaluationOptions options;
  /// The encoding of the reply's arrays; absent: that of q.
  std::optional<Payload> encoding;
  bool fail_fast = false;
  /// Return the smallest singular values.
  bool sigma_min = false;
};

/// Checks everything that can be said without the model.
OrError<DecodedQuery> DecodeQuery(const ComputeFields& view);

/// Views of the request's memory, checked as far as it goes without a model.
OrError<EvaluationInputs> DecodeStates(const ComputeFields& view);

/// Encoding of the reply when the query leaves it open.
Payload EncodingOf(const ComputeFields& view);

// Functions that decode a part of a message throw the Error that refuses it.

/// Refuses unknown and repeated axes, numbers out of range, and damping that
/// contradicts the singularity rule.
TaskOptions DecodeTask(const v1::OperationalSpaceOptions& options);

/// The path of an element of a list, or of its member.
std::string At(std::string_view list, std::size_t k,
               std::string_view member = {});

/// Refuses a number of an enum that is not a known `kind`.
template <class Core>
Core Known(std::optional<Core> known, int number, v1::Reason reason,
           std::string field, std::string_view kind) {
  if (known) return *known;
  throw FieldError(reason, std::move(field),
                   std::to_string(number) + " is no " + std::string(kind));
}

template <class Decode>
OrError<std::invoke_result_t<Decode>> OrRefusal(const Decode& decode) {
  try {
    return decode();
  } catch (Error& error) {
    return std::move(error);
  }
}

}  // namespace torqued::server
