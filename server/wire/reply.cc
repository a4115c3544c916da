#include "server/wire/reply.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/time_util.h>

#include <array>
#include <optional>

#include "core/engine/evaluation_plan.h"
#include "server/config/settings.h"
#include "server/wire/enums.h"

namespace torqued::server {
namespace {

void FillJointNames(const EvaluationPlan& plan, v1::Echo* echo) {
  const auto joints = plan.model().joints();
  const std::vector<int>& order = plan.joint_order();
  echo->mutable_joint_names()->Reserve(static_cast<int>(joints.size()));
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto joint = order.empty() ? i : static_cast<std::size_t>(order[i]);
    echo->add_joint_names(joints[joint].name);
  }
}

void SetTipFrame(const EvaluationPlan& plan, std::optional<int> tip,
                 v1::Echo* echo) {
  if (!tip) return;
  echo->set_tip_frame(
      plan.model().frames()[static_cast<std::size_t>(*tip)].name);
}

void FillPayload(const PayloadOptions& payload, v1::Payload* wire) {
  const LinkInertial& inertial = payload.inertial;
  wire->set_frame(payload.frame);
  wire->set_mass(inertial.mass);
  for (const double x : inertial.origin.p) wire->add_center_of_mass(x);
  for (const double x : inertial.inertia) wire->add_inertia(x);
}

v1::Array* ArrayOf(Output output, v1::Results* results) {
  static const auto fields = [] {
    std::array<const google::protobuf::FieldDescriptor*, kOutputCount> found{};
    for (int k = 0; k < kOutputCount; ++k) {
      found[static_cast<std::size_t>(k)] =
          v1::Results::descriptor()->FindFieldByName(
              std::string(ToString(static_cast<Output>(k))));
    }
    return found;
  }();
  return static_cast<v1::Array*>(results->GetReflection()->MutableMessage(
      results, fields[static_cast<std::size_t>(output)]));
}

}  // namespace

void FillEcho(const EvaluationPlan& plan, bool sigma_min,
              const std::string& model, const std::string& revision,
              Validation validation, std::string_view target, v1::Echo* echo) {
  const EvaluationOptions& options = plan.options();
  echo->set_model(model);
  echo->set_revision(revision);
  echo->set_validation(ToWire(validation));
  FillJointNames(plan, echo);
  v1::Terms* terms = echo->mutable_terms();
  for (const double g : *options.terms.gravity) terms->add_gravity(g);
  terms->set_viscous_friction(options.terms.viscous_friction);
  terms->set_coulomb_friction(options.terms.coulomb_friction);
  terms->set_coulomb_smoothing(options.terms.coulomb_smoothing);
  SetTipFrame(plan, plan.tip_frame(), echo);
  echo->set_reference_frame(ToWire(options.reference_frame));
  if (options.quantities.HasAny(kTaskQuantities)) {
    EncodeTask(options.task, echo->mutable_operational_space());
    echo->mutable_operational_space()->set_sigma_min(sigma_min);
  }
  echo->set_target(std::string(target));
  echo->set_server_version(std::string(Version()));
  echo->set_precision(ToWire(options.precision));
  echo->set_computed_precision(ToWire(plan.precision()));
  if (options.payload) FillPayload(*options.payload, echo->mutable_payload());
  for (const ExternalWrenchOptions& wrench : options.external_wrenches) {
    v1::WrenchPlace* place = echo->add_external_wrenches();
    place->set_frame(wrench.frame);
    place->set_reference_frame(ToWire(wrench.reference_frame));
  }
}

void FillTipFrameOfAnyStates(const EvaluationPlan& plan, v1::Echo* echo) {
  SetTipFrame(plan, plan.tip_frame_of_any_states(), echo);
}

void FillTiming(std::chrono::nanoseconds queue,
                std::chrono::nanoseconds compute, v1::Timing* timing) {
  using google::protobuf::util::TimeUtil;
  *timing->mutable_queue() = TimeUtil::NanosecondsToDuration(queue.count());
  *timing->mutable_compute() = TimeUtil::NanosecondsToDuration(compute.count());
}

void EncodeTask(const TaskOptions& task, v1::OperationalSpaceOptions* options) {
  for (int i = 0; i < task.axis_count; ++i) {
    options->add_axes(ToWireAxis(task.axes[static_cast<std::size_t>(i)]));
  }
  options->set_singularity(ToWire(task.singularity));
  options->set_damping(task.damping);
  options->set_rank_tolerance(task.rank_tolerance);
  options->set_characteristic_length(task.characteristic_length);
}

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

v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue,
                          std::uint64_t first_row) {
  v1::RowStatus status;
  status.set_row(first_row + static_cast<std::uint64_t>(issue.row));
  status.set_code(ToWire(issue.code));
  status.set_field(FieldOf(issue));
  status.set_joint(JointOf(plan, issue));
  status.set_value(issue.value);
  status.set_message(Describe(plan, issue));
  return status;
}

void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::uint64_t first_row, std::size_t max_bytes,
                   google::protobuf::RepeatedPtrField<v1::RowStatus>* rows) {
  constexpr std::size_t kTagAndLength = 4;
  std::size_t bytes = 0;
  for (const RowIssue& issue : report.issues) {
    v1::RowStatus status = ToRowStatus(plan, issue, first_row);
    bytes += status.ByteSizeLong() + kTagAndLength;
    if (bytes > max_bytes) break;
    *rows->Add() = std::move(status);
  }
}

}  // namespace torqued::server
