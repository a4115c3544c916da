#include "client/cli/check/limits_file.h"

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/formats/yaml_tree.h"
#include "client/cli/terminal/plain_text.h"
#include "server/flags/near_names.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Refuses what no robot needs before it fills the stack.
constexpr int kMaxDepth = 8;

constexpr const char* kExample =
    R"({"elbow_joint": {"velocity": 2, "effort": 120}})";
/// Of a file that is not read.
constexpr std::size_t kExampleJoints = 2;

/// The member that is a list of pairs.
constexpr const char* kCurve = "torque_at_speed";

/// A joint of the file.
class JointReader {
 public:
  JointReader(const std::string& file, const std::string& joint)
      : place_(file), joint_(joint) {}

  double Number(const std::string& member, const Json& value) const {
    if (!value.is_number()) Fail(member, "is not a number");
    return value.get<double>();
  }

  void Curve(const std::string& member, const Json& value,
             v1::JointBounds* bounds) const {
    const char* const problem = "is not a list of pairs [speed, torque]";
    if (!value.is_array() || value.empty()) Fail(member, problem);
    for (const Json& pair : value) {
      if (!pair.is_array() || pair.size() != 2) Fail(member, problem);
      bounds->add_speeds(Number(member, pair[0]));
      bounds->add_torques(Number(member, pair[1]));
    }
  }

  [[noreturn]] void Fail(const std::string& member,
                         const std::string& problem) const {
    throw DataError(place_, "joint '" + PlainText(joint_, 128) + "': " +
                                (member.empty() ? "" : member + " ") + problem);
  }

 private:
  const std::string& place_;
  const std::string& joint_;
};

using Numbers = std::map<std::string, std::function<void(double)>>;

/// The end of a sentence about a limit that there is not.
std::string LimitHint(const std::string& member, const Numbers& numbers) {
  std::vector<std::string> known = {kCurve};
  for (const auto& [name, take] : numbers) known.push_back(name);
  const std::vector<std::string> near = flags::NearNames(member, known);
  return near.empty() ? "" : flags::NameHint(near, known);
}

void TakeJoint(const JointReader& reader, const std::string& name,
               const Json& joint, v1::CheckTrajectoryStart* start) {
  v1::JointBounds bounds;
  v1::JointDrive drive;
  bounds.set_joint(name);
  drive.set_joint(name);
  const Numbers numbers = {
      {"lower", [&](double x) { bounds.set_lower(x); }},
      {"upper", [&](double x) { bounds.set_upper(x); }},
      {"velocity", [&](double x) { bounds.set_velocity(x); }},
      {"effort", [&](double x) { bounds.set_effort(x); }},
      {"viscous_friction", [&](double x) { drive.set_viscous_friction(x); }},
      {"coulomb_friction", [&](double x) { drive.set_coulomb_friction(x); }},
      {"armature", [&](double x) { drive.set_armature(x); }}};
  for (const auto& [member, value] : joint.items()) {
    if (member == kCurve) {
      reader.Curve(member, value, &bounds);
    } else if (const auto known = numbers.find(member);
               known != numbers.end()) {
      known->second(reader.Number(member, value));
    } else {
      reader.Fail("", "has no limit called '" + PlainText(member, 40) + "'" +
                          LimitHint(member, numbers));
    }
  }
  const bool drives = drive.has_viscous_friction() ||
                      drive.has_coulomb_friction() || drive.has_armature();
  const bool bounded = bounds.has_lower() || bounds.has_upper() ||
                       bounds.has_velocity() || bounds.has_effort() ||
                       bounds.speeds_size() > 0;
  if (drives) start->add_drives()->Swap(&drive);
  // A joint without members is looked for as well.
  if (bounded || !drives) start->add_bounds()->Swap(&bounds);
}

/// A joint's limits in a MoveIt file, rewritten as the limits file of torqued.
Json FromMoveIt(const Json& joint) {
  Json limits = Json::object();
  const auto take = [&](const char* has, const char* from, const char* to) {
    const auto flag = joint.find(has);
    const auto value = joint.find(from);
    const bool off =
        flag != joint.end() && (*flag == "false" || *flag == false);
    if (value == joint.end() || !value->is_number() || off) return;
    limits[to] = *value;
  };
  take("has_position_limits", "min_position", "lower");
  take("has_position_limits", "max_position", "upper");
  take("has_velocity_limits", "max_velocity", "velocity");
  take("has_effort_limits", "max_effort", "effort");
  return limits;
}

/// The JSON to write in place of MoveIt's joint_limits.yaml; empty for other
/// text.
std::string InsteadOfMoveIt(std::string_view text, const std::string& name) {
  constexpr std::string_view kKey = "joint_limits";
  if (text.find(kKey) == std::string_view::npos) return "";
  Json tree;
  try {
    tree = ParseYaml(text, kMaxDepth, name);
  } catch (const DataError&) {
    return "";
  }
  if (!tree.is_object() || !tree.contains(kKey)) return "";
  Json instead = Json::object();
  const Json& joints = tree.at(kKey);
  for (const auto& [joint, limits] : joints.items()) {
    if (!joints.is_object() || !limits.is_object()) break;
    if (instead.size() == kExampleJoints) break;
    if (Json known = FromMoveIt(limits); !known.empty()) {
      instead[joint] = std::move(known);
    }
  }
  if (instead.empty()) instead = Json::parse(kExample);
  return "is a joint_limits.yaml of MoveIt, which is not read; write JSON "
         "with a member for each joint: " +
         PlainText(instead.dump(), 400) +
         " and so on (accelerations and jerks are not judged)";
}

/// Refuses what is no JSON object, with what to write instead.
void RequireObject(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::string instead = InsteadOfMoveIt(text, name);
  if (!instead.empty()) throw DataError(name, instead);
  if (first == std::string_view::npos || text[first] != '{') {
    throw DataError(name,
                    std::string("is no JSON object with a member for each "
                                "joint, like ") +
                        kExample);
  }
}

}  // namespace

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  RequireObject(text, name);
  const Json json = ParseJsonText(text, kMaxDepth, name);
  for (const auto& [joint, value] : json.items()) {
    const JointReader reader(name, joint);
    if (!value.is_object()) reader.Fail("", "is not an object");
    TakeJoint(reader, joint, value, start);
  }
}

void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start) {
  ParseLimits(ReadFile(path), path.string(), start);
}

}  // namespace torqued::cli
