// One computation over a batch of any size, as one call or many.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "client/cpp/evaluation.h"
#include "client/cpp/retry.h"

namespace torqued::client {

/// Performs one Compute call; throws Error. Called from several threads.
using ComputeCall =
    std::function<v1::ComputeReply(const v1::ComputeRequest&, CallGroup&)>;

struct BatchLimits {
  std::int64_t max_message_bytes = 0;
  int calls_in_flight = 1;
};

/// Cuts the batch into calls that stay under the message limit and joins their
/// replies. The first call settles the model's revision and the others ask for
/// that one, so all rows come from one model even while its name moves. The
/// first failure ends the calls under way and is thrown, rows counted from the
/// start of the batch.
Evaluation ComputeBatch(const ComputeCall& call, const BatchLimits& limits,
                        const std::string& model,
                        std::span<const v1::Quantity> quantities,
                        const States& states, const ComputeOptions& options);

}  // namespace torqued::client
