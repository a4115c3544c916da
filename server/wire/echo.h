// What the numbers of a reply refer to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/batch/evaluation_plan.h"
#include "core/model/validation.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// Everything but the timing. The tip frame is that of the plan's states.
/// `sigma_min`: whether the smallest singular values are returned.
void FillEcho(const EvaluationPlan& plan, bool sigma_min,
              const std::string& model, const std::string& revision,
              Validation validation, std::string_view target, v1::Echo* echo);

/// The tip frame that any states of the plan may use.
void FillTipFrameOfAnyStates(const EvaluationPlan& plan, v1::Echo* echo);

void FillTiming(std::chrono::nanoseconds queue,
                std::chrono::nanoseconds compute, v1::Timing* timing);

}  // namespace torqued::server
