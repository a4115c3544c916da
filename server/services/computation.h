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
  /// Decodes and checks the states of a request, admits them and makes room for
  /// the results in `reply`. States and reply must outlive the evaluation.
  /// `setup_bytes`: of the setup, where that is to be admitted, too.
  static OrError<std::unique_ptr<Computation>> Prepare(
      const StatesView& states, std::shared_ptr<const ComputeSetup> setup,
      const ComputeLimits& limits, PeerAdmission admission,
      v1::ComputeReply* reply, std::int64_t setup_bytes = 0);

  std::shared_ptr<const EvaluationPlan> plan() const { return batch_.plan(); }
  const EvaluationOutputs& outputs() const { return batch_.outputs(); }
  bool fail_fast() const { return batch_.fail_fast(); }
  int most_threads() const { return batch_.most_threads(); }

  /// After the evaluation: fills in the rest of the reply but for the echo, or
  /// says why the call failed. `before` is the time from the request's arrival
  /// to Submit.
  std::optional<Error> Complete(const EvaluationReport& report,
                                std::chrono::nanoseconds before);

  /// What the reply echoes: the bytes of a v1.Echo without its timing.
  std::string_view echo() const;
  const v1::Timing& timing() const { return timing_; }

  /// What was admitted, for as long as the results are held.
  Admission::Ticket TakeRoom() { return batch_.TakeRoom(); }

 private:
  Computation(std::shared_ptr<const ComputeSetup> setup,
              v1::ComputeReply* reply)
      : setup_(std::move(setup)),
        batch_(*setup_, reply->mutable_results()),
        reply_(reply) {}

  std::shared_ptr<const ComputeSetup> setup_;
  StateBatch batch_;
  v1::Timing timing_;
  v1::ComputeReply* reply_;
};

}  // namespace torqued::server
