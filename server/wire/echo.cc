#include "server/wire/echo.h"

#include <optional>

#include "core/batch/quantity_needs.h"
#include "server/config/settings.h"
#include "server/wire/decode_task.h"
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

void FillDuration(std::chrono::nanoseconds from,
                  google::protobuf::Duration* duration) {
  duration->set_seconds(from.count() / 1'000'000'000);
  duration->set_nanos(static_cast<int>(from.count() % 1'000'000'000));
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
  if (options.quantities.HasAny(kQuantitiesOfTheTask)) {
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
  FillDuration(queue, timing->mutable_queue());
  FillDuration(compute, timing->mutable_compute());
}

}  // namespace torqued::server
