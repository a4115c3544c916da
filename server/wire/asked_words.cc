#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "server/wire/verdict_words.h"

namespace torqued::server {
namespace {

/// "(0 0 -9.81)".
std::string List(const auto& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "(" : " ") + NumberText(number);
  }
  return text + ")";
}

std::string Joined(const auto& parts, const char* between = ", ") {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : between) + part;
  }
  return text;
}

bool AnyNonzero(const auto& numbers) {
  return std::any_of(numbers.begin(), numbers.end(),
                     [](double number) { return number != 0; });
}

/// Of one joint.
struct Units {
  std::string position, velocity, effort, viscous, inertia;
};

Units UnitsOf(const v1::JointDemand& joint) {
  if (joint.effort_unit() == "N") return {"m", "m/s", "N", "N s/m", "kg"};
  return {"rad", "rad/s", "N m", "N m s/rad", "kg m\u00b2"};
}

std::string Friction(const v1::Terms& terms) {
  std::vector<std::string> parts;
  if (terms.viscous_friction()) parts.emplace_back("viscous");
  if (terms.coulomb_friction()) parts.emplace_back("Coulomb");
  if (parts.empty()) return "none";
  std::string text = Joined(parts, " and ");
  if (terms.coulomb_friction() && terms.coulomb_smoothing() != 0) {
    text += ", smoothed about rest with " +
            NumberText(terms.coulomb_smoothing()) + " rad/s or m/s";
  }
  return text;
}

std::string Load(const v1::Payload& payload) {
  std::string text = Cat(NumberText(payload.mass()), " kg at ",
                         payload.frame().empty() ? "the tip" : payload.frame());
  if (AnyNonzero(payload.center_of_mass())) {
    text += ", centre of mass " + List(payload.center_of_mass()) + " m";
  }
  if (AnyNonzero(payload.inertia())) {
    text += ", inertia " + List(payload.inertia()) + " kg m\u00b2";
  }
  return text;
}

std::string Rates(v1::Differentiation derive) {
  if (derive == v1::DIFFERENTIATION_UNSPECIFIED) return "as they are given";
  return Cat("derived from the positions by a ",
             derive == v1::DIFFERENTIATION_CUBIC_SPLINE ? "cubic" : "quintic",
             " spline");
}

/// "velocity limit 2 rad/s" of each member that is present.
class Members {
 public:
  void Add(bool present, const char* what, double number,
           const std::string& unit) {
    if (present)
      parts_.push_back(Cat(what, " ", NumberText(number), " ", unit));
  }
  void Add(std::string part) { parts_.push_back(std::move(part)); }
  std::string Text() const {
    return parts_.empty() ? "that of the model" : Joined(parts_, "; ");
  }

 private:
  std::vector<std::string> parts_;
};

std::string Words(const v1::PositionLimits& limits, const Units& units) {
  Members members;
  members.Add(limits.has_lower(), "from", limits.lower(), units.position);
  members.Add(limits.has_upper(), "up to", limits.upper(), units.position);
  return members.Text();
}

std::string Words(const v1::Drive& drive, const Units& units) {
  Members members;
  members.Add(drive.has_velocity_limit(), "velocity limit",
              drive.velocity_limit(), units.velocity);
  members.Add(drive.has_effort_limit(), "torque limit", drive.effort_limit(),
              units.effort);
  std::vector<std::string> curve;
  for (const v1::TorqueSpeedPoint& point : drive.torque_speed()) {
    curve.push_back(Cat(NumberText(point.torque()), " ", units.effort, " at ",
                        NumberText(point.speed()), " ", units.velocity));
  }
  if (!curve.empty()) members.Add("torque by speed: " + Joined(curve));
  members.Add(drive.has_viscous_friction(), "viscous friction",
              drive.viscous_friction(), units.viscous);
  members.Add(drive.has_coulomb_friction(), "Coulomb friction",
              drive.coulomb_friction(), units.effort);
  members.Add(drive.has_armature(), "rotor inertia", drive.armature(),
              units.inertia);
  return members.Text();
}

/// "LOCAL_WORLD_ALIGNED" as "local world aligned".
std::string Lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  });
  return name;
}

std::string Axes(v1::ReferenceFrame frame) {
  constexpr std::string_view kPrefix = "REFERENCE_FRAME_";
  if (frame == v1::REFERENCE_FRAME_UNSPECIFIED) return "local";
  return Lower(v1::ReferenceFrame_Name(frame).substr(kPrefix.size()));
}

std::string Task(const v1::OperationalSpaceOptions& task,
                 v1::ReferenceFrame frame) {
  constexpr std::string_view kPrefix = "TASK_AXIS_";
  std::vector<std::string> axes;
  for (const int axis : task.axes()) {
    axes.push_back(Lower(v1::TaskAxis_Name(static_cast<v1::TaskAxis>(axis))
                             .substr(kPrefix.size())));
  }
  std::string text = Cat(axes.empty() ? "all six axes" : "axes " + Joined(axes),
                         ", ", Axes(frame));
  if (task.singularity() == v1::SINGULARITY_RULE_DAMPED) {
    text += ", damped with " + NumberText(task.damping());
  }
  if (task.has_rank_tolerance()) {
    text += ", rank tolerance " + NumberText(task.rank_tolerance());
  }
  if (task.has_characteristic_length()) {
    text += ", length " + NumberText(task.characteristic_length()) + " m";
  }
  return text;
}

/// Six numbers a sample.
std::string Wrench(std::span<const double> wrenches, v1::ReferenceFrame frame) {
  const auto first = wrenches.first(6);
  // Equal to itself a sample later: the same at all.
  const bool constant = std::equal(wrenches.begin() + 6, wrenches.end(),
                                   wrenches.begin(), wrenches.end() - 6);
  return Cat(constant ? List(first) + ", moment [N m] and force [N]"
                      : "changes from sample to sample",
             ", axes ", Axes(frame));
}

}  // namespace

void PutAskedIntoWords(std::span<const double> wrenches,
                       std::span<const std::string> model_joints,
                       v1::TrajectoryVerdict* verdict) {
  const v1::CheckTrajectoryStart& asked = verdict->asked();
  const v1::Options& options = asked.options();
  const auto add = [&](std::string title, std::string words) {
    v1::AskedWords* item = verdict->add_asked_words();
    item->set_title(std::move(title));
    item->set_words(std::move(words));
  };
  add("gravity", List(verdict->echo().terms().gravity()) + " m/s\u00b2");
  add("payload",
      options.has_payload() ? Load(verdict->echo().payload()) : "none");
  add("friction", Friction(options.terms()));
  add("velocities and accelerations", Rates(asked.derive()));
  if (asked.has_derating() && asked.derating() != 1) {
    add("derating", "all torque limits times " + NumberText(asked.derating()));
  }
  std::unordered_map<std::string_view, Units> units;
  for (const v1::JointDemand& joint : verdict->joints()) {
    units.emplace(joint.joint(), UnitsOf(joint));
  }
  if (asked.drives().empty() && asked.position_limits().empty()) {
    add("limits", "those of the model");
  }
  for (const v1::Drive& drive : asked.drives()) {
    add("drive of " + drive.dof(), Words(drive, units.at(drive.dof())));
  }
  for (const v1::PositionLimits& limits : asked.position_limits()) {
    add("position limits of " + limits.coordinate(),
        Words(limits, units.at(limits.coordinate())));
  }
  if (!wrenches.empty()) {
    add("wrench of the tip on the environment",
        Wrench(wrenches, asked.tip_wrench_reference_frame()));
  }
  if (!options.tip_frame().empty()) add("tip frame", options.tip_frame());
  if (asked.has_operational_space()) {
    add("task", Task(asked.operational_space(), options.reference_frame()));
  }
  if (asked.consistent()) {
    add("samples that contradict each other", "make the answer no");
  }
  if (asked.merge_gap() != 0) {
    add("pauses between violations",
        "bridged up to " + NumberText(asked.merge_gap()) + " s");
  }
  if (options.precision() == v1::PRECISION_SINGLE) add("precision", "single");
  if (!options.joint_names().empty() &&
      !std::equal(options.joint_names().begin(), options.joint_names().end(),
                  model_joints.begin(), model_joints.end())) {
    add("order of the joints", Joined(options.joint_names()));
  }
}

}  // namespace torqued::server
