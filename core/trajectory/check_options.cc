#include "core/trajectory/check_options.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/engine/evaluate_rows.h"
#include "core/trajectory/verdict.h"
#include "core/tree/tree.h"

namespace torqued {
namespace {

using Code = ArgumentError::Code;

using Vector = Eigen::Map<const Eigen::Vector3d>;

[[noreturn]] void Refuse(Code code, std::string field, const auto&... pieces) {
  throw ArgumentError{code, std::move(field), Cat(pieces...)};
}

/// Of the member of an item of a list in the options, if there is a problem.
void RefuseIf(const std::optional<MemberProblem>& problem,
              std::string_view list, std::size_t k, const auto&... pieces) {
  if (!problem) return;
  Refuse(Code::kInvalidOption, Cat(list, "[", k, "].", problem->member),
         pieces..., problem->message);
}

void CheckOptions(std::size_t n, const TrajectoryOptions& options) {
  for (const auto& [field, has] :
       {std::pair("bounds", options.bounds.size()),
        std::pair("drives", options.drives.size())}) {
    if (has == 0 || has == n) continue;
    Refuse(Code::kInvalidOption, field, "Expected one for each of the ", n,
           " joints, or none, got ", has, ".");
  }
  for (std::size_t k = 0; k < options.drives.size(); ++k) {
    RefuseIf(Validate(options.drives[k]), "drives", k);
  }
  if (!(options.derating > 0 && options.derating <= 1)) {
    Refuse(Code::kInvalidOption, "derating",
           "The derating factor must be above 0 and at most 1.");
  }
  if (!(options.merge_gap >= 0 && std::isfinite(options.merge_gap))) {
    Refuse(Code::kInvalidOption, "merge_gap",
           "The gap must be finite and at least 0.");
  }
}

CheckedJoint Checked(const Joint& joint, const JointBounds& bounds,
                     double derating, const Terms& terms) {
  const auto first = [](const std::optional<double>& own,
                        const std::optional<double>& other, double none) {
    return own ? *own : other.value_or(none);
  };
  CheckedJoint checked;
  checked.name = joint.name;
  checked.type = joint.type;
  checked.lower = first(bounds.lower, joint.limits.lower, -kInfinity);
  checked.upper = first(bounds.upper, joint.limits.upper, kInfinity);
  checked.velocity = first(bounds.velocity, joint.limits.velocity, kInfinity);
  checked.torque =
      TorqueLimit(bounds.effort ? bounds.effort : joint.limits.effort,
                  bounds.torque_at_speed, derating);
  if (terms.viscous_friction) checked.viscous_friction = joint.damping;
  if (terms.coulomb_friction) checked.coulomb_friction = joint.friction;
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
bool SetReferencePayload(const Model& model, EvaluationOptions* options,
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

using Member = std::pair<const char*, std::optional<double>>;
std::optional<MemberProblem> FindInvalidMagnitude(
    std::initializer_list<Member> members, const char* message) {
  for (const auto& [member, number] : members) {
    if (!number || (*number >= 0 && std::isfinite(*number))) continue;
    return MemberProblem{member, message};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MemberProblem> Validate(const JointBounds& bounds,
                                      const JointLimits& limits) {
  if (auto problem = FindInvalidMagnitude(
          {{"velocity", bounds.velocity}, {"effort", bounds.effort}},
          "A limit must be finite and at least 0.")) {
    return problem;
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
  const std::vector<TorqueAtSpeed>& curve = bounds.torque_at_speed;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (auto problem = FindInvalidMagnitude(
            {{"torque_at_speed", curve[k].speed},
             {"torque_at_speed", curve[k].torque}},
            "Speeds and torques must be finite and not negative.")) {
      return problem;
    }
    if (k > 0 && curve[k].speed <= curve[k - 1].speed) {
      return MemberProblem{"torque_at_speed", "Speeds must increase."};
    }
  }
  return std::nullopt;
}

std::optional<MemberProblem> Validate(const JointDrive& drive) {
  return FindInvalidMagnitude({{"viscous_friction", drive.viscous_friction},
                               {"coulomb_friction", drive.coulomb_friction},
                               {"armature", drive.armature}},
                              "It must be finite and at least 0.");
}

CheckSetup MakeCheckSetup(std::shared_ptr<const Model> model,
                          const TrajectoryOptions& options) {
  const std::size_t n = model->joints().size();
  CheckOptions(n, options);
  EvaluationOptions torques = options.evaluation;
  torques.quantities = {Quantity::kInverseDynamics};
  const auto joint_at =
      [order = ResolveJointOrder(*model, torques.joint_names)](std::size_t k) {
        return CanonicalIndex(order, static_cast<int>(k));
      };
  if (!options.drives.empty()) {
    std::vector<JointDrive> canonical(n);
    for (std::size_t k = 0; k < n; ++k) {
      canonical[joint_at(k)] = options.drives[k];
    }
    model = model->WithDrives(canonical);
  }
  const auto plan = [&model](const EvaluationOptions& of) {
    auto created = EvaluationPlan::Create(model, of);
    if (auto* error = std::get_if<ArgumentError>(&created)) throw *error;
    return std::get<EvaluationPlan>(std::move(created));
  };
  CheckSetup setup{.torques = plan(torques),
                   .static_plan = plan(Without(torques, true)),
                   .inertial_plan = plan(Without(torques, false))};
  EvaluationOptions other = torques;
  if (SetReferencePayload(*model, &other, &setup))
    setup.reference_payload = plan(other);
  if (options.path_inertia) {
    torques.quantities = {Quantity::kOperationalSpace,
                          Quantity::kTaskProjection};
    setup.space = plan(torques);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const Joint& joint = model->joints()[joint_at(k)];
    const JointBounds bounds =
        options.bounds.empty() ? JointBounds{} : options.bounds[k];
    RefuseIf(Validate(bounds, joint.limits), "bounds", k, "Joint ", joint.name,
             ": ");
    setup.joints.push_back(
        Checked(joint, bounds, options.derating, options.evaluation.terms));
  }
  return setup;
}

std::variant<std::int64_t, ArgumentError> BytesToCheck(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options,
    const SimdKernels& kernels) try {
  const CheckSetup setup = MakeCheckSetup(std::move(model), options);
  // The plans run one after another in the same memory.
  std::int64_t most = 0;
  for (const EvaluationPlan* plan :
       {&setup.torques, &setup.static_plan, &setup.inertial_plan,
        setup.reference_payload ? &*setup.reference_payload : nullptr,
        setup.space ? &*setup.space : nullptr}) {
    if (plan == nullptr) continue;
    most = std::max(most, RowWorkspace::BytesFor(*plan, kernels));
  }
  return most;
} catch (ArgumentError& error) {
  return std::move(error);
}

TorqueTerms::TorqueTerms(const CheckSetup& setup) {
  for (const CheckedJoint& joint : setup.joints) {
    slides_.push_back(joint.type == JointType::kPrismatic);
  }
  const bool heavier = setup.other_mass > setup.load_mass;
  const EvaluationPlan& plan =
      heavier ? *setup.reference_payload : setup.torques;
  const Model& model = plan.model();
  gravity_ = Vector(plan.options().terms.gravity->data()).norm();
  const Tree tree = model.tree();
  double farthest = 0;  // from the joint that carries it
  for (int k = 0; k < tree.n; ++k) {
    const TreeBody& body = tree.bodies[k];
    reach_ += Vector(body.p).norm();
    mass_ += body.mass;
    inertia_ += std::abs(body.I[0]) + std::abs(body.I[3]) + std::abs(body.I[5]);
    if (body.mass > 0) {
      farthest = std::max(farthest, Vector(body.h).norm() / body.mass);
    }
  }
  for (const Frame& frame : model.frames()) {
    if (frame.body == kBase) continue;
    farthest = std::max(farthest,
                        Vector(frame.pose.p.data()).norm() + setup.load_reach);
  }
  reach_ += farthest;
  precision_ = plan.precision() == Precision::kSingle
                   ? static_cast<double>(std::numeric_limits<float>::epsilon())
                   : std::numeric_limits<double>::epsilon();
}

TorqueTerms::Bounds TorqueTerms::At(const Trajectory& trajectory,
                                    Eigen::Index row) const {
  double reach = reach_, slide_speed = 0, slide_acceleration = 0;
  double turn_speed = 0, turn_acceleration = 0;
  for (Eigen::Index k = 0; k < std::ssize(slides_); ++k) {
    const bool slides = slides_[k];
    if (slides) reach += std::abs(trajectory.q(row, k));
    (slides ? slide_speed : turn_speed) += std::abs(trajectory.v(row, k));
    (slides ? slide_acceleration : turn_acceleration) +=
        std::abs(trajectory.a(row, k));
  }
  const double speed = reach * turn_speed + slide_speed;
  const double acceleration = reach * turn_acceleration + slide_acceleration;
  double force = mass_ * (gravity_ + acceleration + 2 * turn_speed * speed);
  double moment = inertia_ * (turn_speed * turn_speed + turn_acceleration);
  if (const SampleView& wrench = trajectory.tip_wrench; wrench.rows > 0) {
    const double* const at = wrench.data + (wrench.rows > 1 ? 6 * row : 0);
    moment += Vector(at).norm();
    force += Vector(at + 3).norm();
  }
  return {force, moment + reach * force};
}

void CheckTimes(std::span<const double> time) {
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
    throw ArgumentError{Code::kInvalidSample, Cat("time[", row, "]"), sentence,
                        static_cast<std::int64_t>(row)};
  }
}

void CheckNumbers(std::string_view name, const SampleView& table,
                  std::span<const std::string> joints) {
  for (Eigen::Index row = 0; row < table.rows; ++row) {
    for (Eigen::Index k = 0; k < table.columns; ++k) {
      if (std::isfinite(table(row, k))) continue;
      const std::string joint = joints.empty() ? "" : joints[k];
      throw ArgumentError{Code::kInvalidSample,
                          Cat(name, "[", row, "][", k, "]"),
                          "It is not a finite number" +
                              (joint.empty() ? "." : " (joint " + joint + ")."),
                          row, joint};
    }
  }
}

void CheckSamples(const Trajectory& trajectory, const CheckSetup& setup) {
  const auto rows = static_cast<Eigen::Index>(trajectory.time.size());
  if (rows == 0) Refuse(Code::kMissingInput, "time", "There are no samples.");
  const auto joints = static_cast<Eigen::Index>(setup.joints.size());
  const struct {
    const char* name;
    const SampleView& table;
    Eigen::Index columns;
    bool optional;
  } tables[] = {{"q", trajectory.q, joints, false},
                {"v", trajectory.v, joints, false},
                {"a", trajectory.a, joints, false},
                {"tip_wrench_on_environment", trajectory.tip_wrench, 6, true}};
  for (const auto& [name, table, columns, optional] : tables) {
    const bool absent_or_one = optional && table.rows <= 1;
    if (table.rows != rows && !absent_or_one) {
      Refuse(Code::kWrongRowCount, name, "Expected ", rows, " rows, got ",
             table.rows, ".");
    }
    if (table.columns != columns && table.rows > 0) {
      Refuse(Code::kWrongColumnCount, name, "Expected ", columns,
             " columns, got ", table.columns, ".");
    }
  }
  CheckTimes(trajectory.time);
  std::vector<std::string> names;
  names.reserve(setup.joints.size());
  for (const CheckedJoint& joint : setup.joints) names.push_back(joint.name);
  for (const auto& [name, table, columns, optional] : tables) {
    CheckNumbers(name, table,
                 optional ? std::span<const std::string>() : names);
  }
}

}  // namespace torqued
