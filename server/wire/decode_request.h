// From the wire to what the engine understands.
#pragma once

#include <span>

#include "core/batch/evaluation.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "server/wire/compute_view.h"

namespace torqued::server {

struct DecodedRequest {
  EvaluationOptions options;
  /// Views of the request's memory.
  EvaluationInputs inputs;
  /// Of the reply's arrays.
  Payload encoding = Payload::kValues;
  bool fail_fast = false;
};

/// Checks everything that can be said without the model.
OrError<DecodedRequest> DecodeRequest(const ComputeView& view);

}  // namespace torqued::server
