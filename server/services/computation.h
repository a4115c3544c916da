// One Compute call without its transport: from request to reply.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "server/services/state_batch.h"

namespace torqued::server {

class Computation {
 public:
  /// Decodes and checks the request, admits it and makes room for the results
  /// in `reply`. Request and reply must outlive the evaluation.
  static OrError<std::unique_ptr<Computation>> Prepare(
      const ComputeView& view, const ModelEntry& entry, std::string_view target,
      const ComputeLimits& limits, Admission& admission,
      v1::ComputeReply* reply);

  std::shared_ptr<const EvaluationPlan> plan() const { return batch_.plan(); }
  const EvaluationOutputs& outputs() const { return batch_.outputs(); }
  bool fail_fast() const { return batch_.fail_fast(); }

  /// After the evaluation: fills in the rest of the reply, or says why the call
  /// failed. `before` is the time from the request's arrival to Submit.
  std::optional<Error> Complete(const EvaluationReport& report,
                                std::chrono::nanoseconds before);

 private:
  Computation(ComputeSetup setup, v1::ComputeReply* reply)
      : batch_(std::move(setup), reply->mutable_results()), reply_(reply) {}

  StateBatch batch_;
  v1::ComputeReply* reply_;
};

}  // namespace torqued::server
