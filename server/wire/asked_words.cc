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

std::string Bounds(const v1::JointBounds& bounds, const Units& units) {
  std::vector<std::string> parts;
  const auto add = [&parts](bool present, const char* what, double number,
                            const std::string& unit) {
    if (present) parts.push_back(Cat(what, NumberText(number), " ", unit));
  };
  add(bounds.has_lower(), "position from ", bounds.lower(), units.position);
  add(bounds.has_upper(), "position up to ", bounds.upper(), units.position);
  add(bounds.has_velocity(), "velocity ", bounds.velocity(), units.velocity);
  add(bounds.has_effort(), "torque ", bounds.effort(), units.effort);
  std::vector<std::string> curve;
  curve.reserve(static_cast<std::size_t>(bounds.speeds_size()));
  for (int k = 0; k < bounds.speeds_size(); ++k) {
    curve.push_back(Cat(NumberText(bounds.torques(k)), " ", units.effort,
                        " at ", NumberText(bounds.speeds(k)), " ",
                        units.velocity));
  }
  if (!curve.empty()) parts.push_back("torque by speed: " + Joined(curve));
  return parts.empty() ? "those of the model" : Joined(parts, "; ");
}

std::string Drive(const v1::JointDrive& drive, const Units& units) {
  std::vector<std::string> parts;
  const auto add = [&parts](bool present, const char* what, double number,
                            const std::string& unit) {
    if (present) parts.push_back(Cat(what, NumberText(number), " ", unit));
  };
  add(drive.has_viscous_friction(), "viscous friction ",
      drive.viscous_friction(), units.viscous);
  add(drive.has_coulomb_friction(), "Coulomb friction ",
      drive.coulomb_friction(), units.effort);
  add(drive.has_armature(), "rotor inertia ", drive.armature(), units.inertia);
  return parts.empty() ? "that of the model" : Joined(parts, "; ");
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
  if (asked.bounds().empty()) add("limits", "those of the model");
  for (const v1::JointBounds& bounds : asked.bounds()) {
    add("limits of " + bounds.joint(),
        Bounds(bounds, units.at(bounds.joint())));
  }
  for (const v1::JointDrive& drive : asked.drives()) {
    add("drive of " + drive.joint(), Drive(drive, units.at(drive.joint())));
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
