#include "client/cli/check/asked_words.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/cli/formats/json_numbers.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

/// "(0 0 -9.81)".
template <class Numbers>
std::string ListText(const Numbers& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "(" : " ") + ShortestText(number);
  }
  return text + ")";
}

/// The number, and its unit where that is known.
std::string Measured(double number, const std::string& unit) {
  return ShortestText(number) + (unit.empty() ? "" : " " + unit);
}

std::string Joined(const std::vector<std::string>& parts,
                   const char* between = ", ") {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : between) + part;
  }
  return text;
}

template <class Numbers>
bool AnyNonzero(const Numbers& numbers) {
  return std::any_of(numbers.begin(), numbers.end(),
                     [](double number) { return number != 0; });
}

/// Units of one joint; all empty where they are not known.
struct Units {
  std::string position;
  std::string velocity;
  std::string effort;
  std::string viscous;
  std::string inertia;
};

Units UnitsOf(const JointUnits& units, const std::string& joint) {
  const auto found = units.find(joint);
  if (found == units.end()) return {};
  if (found->second == "N") return {"m", "m/s", "N", "N s/m", "kg"};
  return {"rad", "rad/s", "N m", "N m s/rad", "kg m\u00b2"};
}

std::string FrictionText(const v1::Terms& terms) {
  if (!terms.viscous_friction() && !terms.coulomb_friction()) return "none";
  std::vector<std::string> parts;
  if (terms.viscous_friction()) parts.emplace_back("viscous");
  if (terms.coulomb_friction()) parts.emplace_back("Coulomb");
  std::string text = Joined(parts, " and ");
  if (terms.coulomb_friction() && terms.coulomb_smoothing() != 0) {
    text += ", smoothed about rest with " +
            ShortestText(terms.coulomb_smoothing()) + " rad/s or m/s";
  }
  return text;
}

std::string PayloadText(const v1::Payload& payload) {
  std::string text = ShortestText(payload.mass()) + " kg at " +
                     (payload.frame().empty() ? "the tip" : payload.frame());
  if (AnyNonzero(payload.center_of_mass())) {
    text += ", centre of mass " + ListText(payload.center_of_mass()) + " m";
  }
  if (AnyNonzero(payload.inertia())) {
    text += ", inertia " + ListText(payload.inertia()) + " kg m\u00b2";
  }
  return text;
}

std::string BoundsText(const v1::JointBounds& bounds, const Units& units) {
  std::vector<std::string> parts;
  const auto add = [&parts](bool present, const char* what, double number,
                            const std::string& unit) {
    if (present) parts.push_back(what + Measured(number, unit));
  };
  add(bounds.has_lower(), "position from ", bounds.lower(), units.position);
  add(bounds.has_upper(), "position up to ", bounds.upper(), units.position);
  add(bounds.has_velocity(), "velocity ", bounds.velocity(), units.velocity);
  add(bounds.has_effort(), "torque ", bounds.effort(), units.effort);
  std::vector<std::string> curve;
  curve.reserve(static_cast<std::size_t>(bounds.speeds_size()));
  for (int k = 0; k < bounds.speeds_size(); ++k) {
    curve.push_back(Measured(bounds.torques(k), units.effort) + " at " +
                    Measured(bounds.speeds(k), units.velocity));
  }
  if (!curve.empty()) parts.push_back("torque by speed: " + Joined(curve));
  return parts.empty() ? "those of the model" : Joined(parts, "; ");
}

std::string DriveText(const v1::JointDrive& drive, const Units& units) {
  std::vector<std::string> parts;
  if (drive.has_viscous_friction()) {
    parts.push_back("viscous friction " +
                    Measured(drive.viscous_friction(), units.viscous));
  }
  if (drive.has_coulomb_friction()) {
    parts.push_back("Coulomb friction " +
                    Measured(drive.coulomb_friction(), units.effort));
  }
  if (drive.has_armature()) {
    parts.push_back("rotor inertia " +
                    Measured(drive.armature(), units.inertia));
  }
  return parts.empty() ? "that of the model" : Joined(parts, "; ");
}

std::string FrameText(v1::ReferenceFrame frame) {
  switch (frame) {
    case v1::REFERENCE_FRAME_WORLD:
      return "world";
    case v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED:
      return "local_world_aligned";
    default:
      return "local";
  }
}

std::string DerivationText(v1::Differentiation derive) {
  switch (derive) {
    case v1::DIFFERENTIATION_CUBIC_SPLINE:
      return "derived from the positions by a cubic spline";
    case v1::DIFFERENTIATION_QUINTIC_SPLINE:
      return "derived from the positions by a quintic spline";
    default:
      return "as they are given";
  }
}

std::string TaskText(const v1::CheckTrajectoryStart& asked) {
  if (!asked.has_operational_space()) return "not looked at";
  const v1::OperationalSpaceOptions& task = asked.operational_space();
  std::vector<std::string> axes;
  for (const int axis : task.axes()) {
    std::string name = v1::TaskAxis_Name(static_cast<v1::TaskAxis>(axis));
    name.erase(0, std::string("TASK_AXIS_").size());
    std::replace(name.begin(), name.end(), '_', ' ');
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    axes.push_back(std::move(name));
  }
  std::string text = axes.empty() ? "all six axes" : "axes " + Joined(axes);
  text += ", " + FrameText(asked.options().reference_frame());
  if (task.singularity() == v1::SINGULARITY_RULE_DAMPED) {
    text += ", damped with " + ShortestText(task.damping());
  }
  if (task.has_rank_tolerance()) {
    text += ", rank tolerance " + ShortestText(task.rank_tolerance());
  }
  if (task.has_characteristic_length()) {
    text += ", length " + ShortestText(task.characteristic_length()) + " m";
  }
  return text;
}

/// Rows of numbers, those that are no numbers left out.
std::vector<std::vector<double>> RowsOf(const Json& table) {
  std::vector<std::vector<double>> rows;
  for (const Json& row : table) {
    rows.emplace_back();
    for (const Json& value : row) {
      const auto number = NumberFromJson(value);
      if (number) rows.back().push_back(*number);
    }
  }
  return rows;
}

std::string WrenchText(const Json& inputs) {
  const auto frame = [&inputs] {
    v1::ReferenceFrame parsed = v1::REFERENCE_FRAME_UNSPECIFIED;
    const auto found = inputs.find("wrench_frame");
    if (found != inputs.end() && found->is_string()) {
      // Of a name that is none the frame stays what an absent one is.
      (void)v1::ReferenceFrame_Parse(found->get<std::string>(), &parsed);
    }
    return FrameText(parsed);
  };
  if (inputs.contains("wrench_profile")) {
    const auto rows = RowsOf(inputs["wrench_profile"]);
    std::string text = std::to_string(rows.size()) + " rows over time";
    if (!rows.empty() && !rows.front().empty() && !rows.back().empty()) {
      text += ", from " + ShortestText(rows.front().front()) + " s to " +
              ShortestText(rows.back().front()) + " s";
    }
    return text + ", axes " + frame();
  }
  if (!inputs.contains("wrench")) {
    // Of files that bring their own.
    const std::string axes = frame();
    return axes == FrameText(v1::REFERENCE_FRAME_LOCAL)
               ? "none"
               : "that of the file, if any, axes " + axes;
  }
  const auto rows = RowsOf(inputs["wrench"]);
  if (rows.size() != 1) {
    return std::to_string(rows.size()) + " rows, one a sample, axes " + frame();
  }
  return ListText(rows.front()) + ", moment [N m] and force [N], axes " +
         frame();
}

std::string OrderText(const Json& inputs) {
  const auto found = inputs.find("joints");
  if (found == inputs.end() || !found->is_array()) return "by the names";
  std::vector<std::string> joints;
  for (const Json& joint : *found) {
    if (joint.is_string()) joints.push_back(joint.get<std::string>());
  }
  return joints.empty() ? "that of the model" : Joined(joints);
}

}  // namespace

std::vector<AskedItem> AskedItems(const v1::CheckTrajectoryStart& asked,
                                  const Json& inputs, const JointUnits& units) {
  const v1::Options& options = asked.options();
  const v1::Terms& terms = options.terms();
  std::vector<AskedItem> items;
  const auto add = [&items](std::string what, std::string words,
                            const char* by_default,
                            AskedKind kind = AskedKind::kOther) {
    const bool is_default = words == by_default;
    items.push_back({std::move(what), std::move(words), kind, is_default});
  };
  add("gravity",
      terms.gravity().empty() ? "that of the model"
                              : ListText(terms.gravity()) + " m/s\u00b2",
      "that of the model", AskedKind::kEssential);
  add("payload",
      options.has_payload() ? PayloadText(options.payload()) : "none", "none",
      AskedKind::kEssential);
  add("friction", FrictionText(terms), "none", AskedKind::kEssential);
  add("velocities and accelerations", DerivationText(asked.derive()),
      "as they are given", AskedKind::kEssential);
  add("derating",
      asked.has_derating() && asked.derating() != 1
          ? "all torque limits times " + ShortestText(asked.derating())
          : "none",
      "none");
  for (const v1::JointBounds& bounds : asked.bounds()) {
    add("limits of " + bounds.joint(),
        BoundsText(bounds, UnitsOf(units, bounds.joint())), "",
        AskedKind::kLimits);
  }
  for (const v1::JointDrive& drive : asked.drives()) {
    add("drive of " + drive.joint(),
        DriveText(drive, UnitsOf(units, drive.joint())), "", AskedKind::kOther);
  }
  add("wrench of the tip on the environment", WrenchText(inputs), "none");
  add("tip frame",
      options.tip_frame().empty() ? "that of the model" : options.tip_frame(),
      "that of the model");
  add("task", TaskText(asked), "not looked at");
  add("samples that contradict each other",
      asked.consistent() ? "make the answer no" : "draw a remark",
      "draw a remark");
  add("pauses between violations",
      asked.merge_gap() != 0
          ? "bridged up to " + ShortestText(asked.merge_gap()) + " s"
          : "none bridged",
      "none bridged");
  add("precision",
      options.precision() == v1::PRECISION_SINGLE ? "single" : "double",
      "double");
  add("order of the joints", OrderText(inputs), "by the names");
  return items;
}

v1::CheckTrajectoryStart StartFromJson(const Json& json) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::CheckTrajectoryStart start;
  if (!google::protobuf::util::JsonStringToMessage(
           json.dump(-1, ' ', false, Json::error_handler_t::replace), &start,
           options)
           .ok()) {
    start.Clear();
  }
  return start;
}

}  // namespace torqued::cli
