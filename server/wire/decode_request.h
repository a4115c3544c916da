// From the wire to what the engine understands.
#pragma once

#include <optional>

#include "core/batch/evaluation.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "server/wire/compute_fields.h"

namespace torqued::server {

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

}  // namespace torqued::server
