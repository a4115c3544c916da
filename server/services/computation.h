// One Compute call without its transport: from request to reply.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/batch/engine.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/wire/compute_view.h"
#include "server/wire/reply_layout.h"

namespace torqued::server {

struct ComputeLimits {
  std::int64_t max_rows = 0;
  std::int64_t max_message_bytes = 0;
};

class Computation {
 public:
  /// Decodes and checks the request, admits it and makes room for the results
  /// in `reply`. Request and reply must outlive the evaluation.
  static OrError<std::unique_ptr<Computation>> Prepare(
      const ComputeView& view, const ModelEntry& entry, std::string_view target,
      const ComputeLimits& limits, Admission& admission,
      v1::ComputeReply* reply);

  const std::shared_ptr<const EvaluationPlan>& plan() const { return plan_; }
  const EvaluationOutputs& outputs() const { return results_->outputs(); }
  bool fail_fast() const { return fail_fast_; }

  /// After the evaluation: fills in the rest of the reply, or says why the call
  /// failed. `before` is the time from the request's arrival to Submit.
  std::optional<Error> Complete(const EvaluationReport& report,
                                std::chrono::nanoseconds before);

 private:
  Computation() = default;

  std::shared_ptr<const EvaluationPlan> plan_;
  std::optional<ReplyResults> results_;
  Admission::Ticket ticket_;
  v1::ComputeReply* reply_ = nullptr;
  bool fail_fast_ = false;
  std::size_t row_status_bytes_ = 0;  // room left in the reply
};

}  // namespace torqued::server
