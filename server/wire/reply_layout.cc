#include "server/wire/reply_layout.h"

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

v1::Array* ArrayOf(Output output, v1::Results* results) {
  switch (output) {
    case Output::kTau:
      return results->mutable_tau();
    case Output::kMassMatrix:
      return results->mutable_mass_matrix();
    case Output::kAcceleration:
      return results->mutable_a();
    case Output::kBias:
      return results->mutable_bias();
    case Output::kPose:
      return results->mutable_pose();
    case Output::kJacobian:
      return results->mutable_jacobian();
    case Output::kJacobianDrift:
      return results->mutable_jacobian_drift();
    case Output::kLambda:
      return results->mutable_lambda();
    case Output::kEta:
      return results->mutable_eta();
  }
  return nullptr;
}

}  // namespace

std::int64_t ReplyBytesPerRow(const EvaluationPlan& plan,
                              const ReplyForm& form) {
  std::int64_t bytes = 0;
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (plan.Produces(output)) {
      bytes += std::int64_t{plan.columns(output)} *
               SizeOf(NumberTypeOf(form.payload));
    }
  }
  if (plan.Produces(Output::kLambda)) {
    bytes += 2;  // rank, rule
    if (form.sigma_min) bytes += sizeof(double);
  }
  return bytes;
}

void ReplyResults::Lay(const EvaluationPlan& plan, const ReplyForm& form) {
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (!plan.Produces(output)) continue;
    outputs_[output] =
        AllocateArray(form.payload, plan.rows(), plan.columns(output),
                      ArrayOf(output, results_));
  }
  if (plan.Produces(Output::kLambda)) {
    outputs_.rank = Resize(results_->mutable_rank(), plan.rows());
    if (form.sigma_min) {
      outputs_.sigma_min = Resize(results_->mutable_sigma_min(), plan.rows());
    }
    rules_.resize(static_cast<std::size_t>(plan.rows()));
    outputs_.rule = rules_.data();
  }
}

void ReplyResults::Finish() {
  int* wire = Resize(results_->mutable_rule(),
                     static_cast<std::int64_t>(rules_.size()));
  for (const TaskRule rule : rules_) *wire++ = ToWire(rule);
}

}  // namespace torqued::server
