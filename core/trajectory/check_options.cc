#include "core/trajectory/check_options.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/batch/row_workspace.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;
using MaybeError = std::optional<ArgumentError>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ArgumentError Fail(Code code, std::string field, const auto&... pieces) {
  return {code, std::move(field), Cat(pieces...)};
}

std::string Place(std::string_view list, std::size_t k,
                  std::string_view member) {
  return Cat(list, "[", k, "].", member);
}

MaybeError CheckOptions(const Model& model, const TrajectoryOptions& options) {
  const std::size_t n = model.joints().size();
  for (const auto& [field, has] :
       {std::pair("bounds", options.bounds.size()),
        std::pair("drives", options.drives.size())}) {
    if (has == 0 || has == n) continue;
    return Fail(Code::kInvalidOption, field, "Expected one for each of the ", n,
                " joints, or none, got ", has, ".");
  }
  for (std::size_t k = 0; k < options.drives.size(); ++k) {
    if (const auto problem = Validate(options.drives[k])) {
      return Fail(Code::kInvalidOption, Place("drives", k, problem->member),
                  problem->message);
    }
  }
  if (!(options.derating > 0 && options.derating <= 1)) {
    return Fail(Code::kInvalidOption, "derating",
                "The derating factor must be above 0 and at most 1.");
  }
  if (!(options.merge_gap >= 0 && std::isfinite(options.merge_gap))) {
    return Fail(Code::kInvalidOption, "merge_gap",
                "The gap must be finite and at least 0.");
  }
  return std::nullopt;
}

/// The joint at place k of the caller's order.
std::size_t JointAt(const EvaluationPlan& plan, std::size_t k) {
  const std::vector<int>& order = plan.joint_order();
  return order.empty() ? k : order[k];
}

std::shared_ptr<const Model> Driven(const EvaluationPlan& plan,
                                    const std::shared_ptr<const Model>& model,
                                    const std::vector<JointDrive>& drives) {
  if (drives.empty()) return model;
  std::vector<JointDrive> canonical(drives.size());
  for (std::size_t k = 0; k < drives.size(); ++k) {
    canonical[JointAt(plan, k)] = drives[k];
  }
  return model->WithDrives(canonical);
}

CheckedJoint Checked(const Joint& joint, const JointBounds& bounds,
                     double derating, const Terms& terms) {
  CheckedJoint checked;
  checked.name = joint.name;
  checked.type = joint.type;
  const auto first = [](const std::optional<double>& own,
                        const std::optional<double>& other, double none) {
    return own ? *own : other.value_or(none);
  };
  checked.lower = first(bounds.lower, joint.limits.lower, -kInfinity);
  checked.upper = first(bounds.upper, joint.limits.upper, kInfinity);
  checked.velocity = first(bounds.velocity, joint.limits.velocity, kInfinity);
  checked.torque =
      TorqueLimit(bounds.effort ? bounds.effort : joint.limits.effort,
                  bounds.torque_at_speed, derating);
  if (terms.viscous_friction) checked.viscous_friction = joint.damping;
  if (terms.coulomb_friction) checked.coulomb_friction = joint.friction;
  checked.coulomb_smoothing = terms.coulomb_smoothing;
  return checked;
}

/// The options with other terms.
EvaluationOptions Without(EvaluationOptions options, bool gravity) {
  options.terms.viscous_friction = false;
  options.terms.coulomb_friction = false;
  options.terms.coulomb_smoothing = 0;
  if (!gravity) options.terms.gravity = {0, 0, 0};
  return options;
}

/// Makes the payload of the options a kilogram heavier, or leaves it out if it
/// has a kilogram itself. False: there is no frame for a payload.
bool OtherLoad(const Model& model, EvaluationOptions* options,
               CheckSetup* setup) {
  const bool carries = options->payload.has_value();
  if (!carries && !model.tip_frame() && options->tip_frame.empty()) {
    return false;
  }
  if (!carries) options->payload.emplace();
  LinkInertial& load = options->payload->inertial;
  setup->load_mass = load.mass;
  setup->load_reach = Eigen::Vector3d(load.origin.p.data()).norm();
  if (load.mass >= 1) {
    options->payload.reset();
    return true;
  }
  setup->other_mass = load.mass + 1;
  // The inertia per kg stays; without a mass the payload is a point.
  const double share = load.mass > 0 ? setup->other_mass / load.mass : 0;
  for (double& entry : load.inertia) entry *= share;
  load.mass = setup->other_mass;
  return true;
}

bool IsInvalidMagnitude(const std::optional<double>& number) {
  return number && !(*number >= 0 && std::isfinite(*number));
}

}  // namespace

std::optional<MemberProblem> Validate(const JointBounds& bounds,
                                      const JointLimits& limits) {
  using Member = std::pair<const char*, std::optional<double>>;
  for (const auto& [member, limit] :
       {Member("velocity", bounds.velocity), Member("effort", bounds.effort)}) {
    if (!IsInvalidMagnitude(limit)) continue;
    return MemberProblem{member, "A limit must be finite and at least 0."};
  }
  for (const auto& [member, limit] :
       {Member("lower", bounds.lower), Member("upper", bounds.upper)}) {
    if (!limit || std::isfinite(*limit)) continue;
    return MemberProblem{member, "A limit must be finite."};
  }
  const auto lower = bounds.lower ? bounds.lower : limits.lower;
  const auto upper = bounds.upper ? bounds.upper : limits.upper;
  if (lower && upper && *lower > *upper) {
    const auto owner = [](const std::optional<double>& own) {
      return own ? "" : " of the model";
    };
    return MemberProblem{bounds.lower ? "lower" : "upper",
                         Cat("The lower limit ", NumberText(*lower),
                             owner(bounds.lower), " is above the upper limit ",
                             NumberText(*upper), owner(bounds.upper), ".")};
  }
  if (const auto problem = Validate(bounds.torque_at_speed)) {
    return MemberProblem{"torque_at_speed", *problem};
  }
  return std::nullopt;
}

std::optional<MemberProblem> Validate(const JointDrive& drive) {
  using Member = std::pair<const char*, std::optional<double>>;
  for (const auto& [member, number] :
       {Member("viscous_friction", drive.viscous_friction),
        Member("coulomb_friction", drive.coulomb_friction),
        Member("armature", drive.armature)}) {
    if (!IsInvalidMagnitude(number)) continue;
    return MemberProblem{member, "It must be finite and at least 0."};
  }
  return std::nullopt;
}

double CheckedJoint::CoulombFriction(double v) const {
  if (coulomb_friction == 0 || v == 0) return 0;
  if (coulomb_smoothing != 0) {
    return coulomb_friction * std::tanh(v / coulomb_smoothing);
  }
  return std::copysign(coulomb_friction, v);
}

std::variant<CheckSetup, ArgumentError> MakeCheckSetup(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options) {
  if (MaybeError error = CheckOptions(*model, options)) {
    return *std::move(error);
  }
  EvaluationOptions torques = options.evaluation;
  torques.quantities = {Quantity::kInverseDynamics};
  // This plan is for the order of the joints alone.
  auto first = EvaluationPlan::Create(model, torques);
  if (auto* error = std::get_if<ArgumentError>(&first)) {
    return std::move(*error);
  }
  model = Driven(std::get<EvaluationPlan>(first), model, options.drives);

  MaybeError problem;
  const auto plan = [&](const EvaluationOptions& of) {
    auto created = EvaluationPlan::Create(model, of);
    if (auto* error = std::get_if<ArgumentError>(&created)) {
      if (!problem) problem = std::move(*error);
      return std::get<EvaluationPlan>(first);
    }
    return std::get<EvaluationPlan>(std::move(created));
  };
  CheckSetup setup{.joints = {},
                   .task = options.evaluation.task,
                   .torques = plan(torques),
                   .static_plan = plan(Without(torques, true)),
                   .inertial_plan = plan(Without(torques, false)),
                   .reference_load = {},
                   .space = {}};
  EvaluationOptions other = torques;
  if (OtherLoad(*model, &other, &setup)) setup.reference_load = plan(other);
  if (options.path_inertia) {
    EvaluationOptions space = torques;
    space.quantities = {Quantity::kOperationalSpace, Quantity::kTaskProjection};
    setup.space = plan(space);
  }
  if (problem) return *std::move(problem);

  const Model& driven = setup.torques.model();
  for (std::size_t k = 0; k < driven.joints().size(); ++k) {
    const Joint& joint = driven.joints()[JointAt(setup.torques, k)];
    const JointBounds bounds =
        options.bounds.empty() ? JointBounds{} : options.bounds[k];
    if (const auto wrong = Validate(bounds, joint.limits)) {
      return Fail(Code::kInvalidOption, Place("bounds", k, wrong->member),
                  "Joint ", joint.name, ": ", wrong->message);
    }
    setup.joints.push_back(
        Checked(joint, bounds, options.derating, options.evaluation.terms));
  }
  return setup;
}

std::variant<std::int64_t, ArgumentError> BytesToCheck(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options,
    const LaneKernels& kernels) {
  auto made = MakeCheckSetup(std::move(model), options);
  if (auto* error = std::get_if<ArgumentError>(&made)) {
    return std::move(*error);
  }
  const auto& setup = std::get<CheckSetup>(made);
  // The plans run one after another in the same memory.
  std::int64_t most = 0;
  for (const EvaluationPlan* plan :
       {&setup.torques, &setup.static_plan, &setup.inertial_plan,
        setup.reference_load ? &*setup.reference_load : nullptr,
        setup.space ? &*setup.space : nullptr}) {
    if (plan == nullptr) continue;
    most = std::max(most, RowWorkspace::BytesFor(*plan, kernels));
  }
  return most;
}

MaybeError ValidateTimes(std::span<const double> time) {
  for (std::size_t row = 0; row < time.size(); ++row) {
    std::string sentence;
    if (!std::isfinite(time[row])) {
      sentence = "Times must be finite.";
    } else if (row > 0 && time[row] <= time[row - 1]) {
      sentence = Cat("Times must increase: ", NumberText(time[row]),
                     " s comes after ", NumberText(time[row - 1]), " s.");
    } else if (std::isinf(time[row] - time[0])) {
      sentence = "The time since the first sample overflows.";
    } else {
      continue;
    }
    return ArgumentError{Code::kInvalidSample,
                         "time[" + std::to_string(row) + "]",
                         std::move(sentence), static_cast<std::int64_t>(row)};
  }
  return std::nullopt;
}

MaybeError ValidateNumbers(std::string_view name, const SampleView& table,
                           std::span<const std::string> joints) {
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    for (Eigen::Index k = 0; k < table.cols(); ++k) {
      if (std::isfinite(table(row, k))) continue;
      const std::string joint = joints.empty() ? "" : joints[k];
      return ArgumentError{
          Code::kInvalidSample, Cat(name, "[", row, "][", k, "]"),
          "It is not a finite number" +
              (joint.empty() ? "." : " (joint " + joint + ")."),
          row, joint};
    }
  }
  return std::nullopt;
}

MaybeError Validate(const Trajectory& trajectory, const CheckSetup& setup) {
  const auto rows = static_cast<Eigen::Index>(trajectory.time.size());
  if (rows == 0) {
    return Fail(Code::kMissingInput, "time", "There are no samples.");
  }
  const auto joints = static_cast<Eigen::Index>(setup.joints.size());
  const struct {
    std::string_view name;
    const SampleView& table;
    Eigen::Index columns;
    bool optional;
  } tables[] = {{"q", trajectory.q, joints, false},
                {"v", trajectory.v, joints, false},
                {"a", trajectory.a, joints, false},
                {"tip_wrench_on_environment", trajectory.tip_wrench, 6, true}};
  for (const auto& [name, table, columns, optional] : tables) {
    const bool absent_or_one = optional && table.rows() <= 1;
    if (table.rows() != rows && !absent_or_one) {
      return Fail(Code::kWrongRowCount, std::string(name), "Expected ", rows,
                  " rows, got ", table.rows(), ".");
    }
    if (table.cols() != columns && table.rows() > 0) {
      return Fail(Code::kWrongColumnCount, std::string(name), "Expected ",
                  columns, " columns, got ", table.cols(), ".");
    }
  }
  if (auto error = ValidateTimes(trajectory.time)) return error;
  std::vector<std::string> names;
  names.reserve(setup.joints.size());
  for (const CheckedJoint& joint : setup.joints) names.push_back(joint.name);
  for (const auto& [name, table, columns, optional] : tables) {
    const auto columns_of = optional ? std::span<const std::string>() : names;
    if (auto error = ValidateNumbers(name, table, columns_of)) return error;
  }
  return std::nullopt;
}

}  // namespace torqued
