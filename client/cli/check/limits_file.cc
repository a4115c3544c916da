#include "client/cli/check/limits_file.h"

#include <algorithm>
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

bool IsPair(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number() &&
         value[1].is_number();
}

using Numbers = std::map<std::string, std::function<void(double)>>;

/// The end of a sentence about a limit that there is not.
std::string LimitHint(const std::string& member, const Numbers& numbers) {
  std::vector<std::string> known = {kCurve};
  for (const auto& [name, take] : numbers) known.push_back(name);
  const std::vector<std::string> near = flags::NearNames(member, known);
  return near.empty() ? "" : flags::NameHint(near, known);
}

void TakeJoint(const std::string& file, const std::string& name,
               const Json& joint, v1::CheckTrajectoryStart* start) {
  const auto require = [&](bool holds, const std::string& problem) {
    if (holds) return;
    throw DataError(file, "joint '" + PlainText(name, 128) + "': " + problem);
  };
  require(joint.is_object(), "is not an object");
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
      require(value.is_array() && !value.empty() &&
                  std::all_of(value.begin(), value.end(), IsPair),
              member + " is not a list of pairs [speed, torque]");
      for (const Json& pair : value) {
        bounds.add_speeds(pair[0].get<double>());
        bounds.add_torques(pair[1].get<double>());
      }
      continue;
    }
    const auto known = numbers.find(member);
    if (known == numbers.end()) {
      require(false, "has no limit called '" + PlainText(member, 40) + "'" +
                         LimitHint(member, numbers));
    }
    require(value.is_number(), member + " is not a number");
    known->second(value.get<double>());
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

}  // namespace

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const std::string instead = InsteadOfMoveIt(text, name);
  if (!instead.empty()) throw DataError(name, instead);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    throw DataError(name,
                    std::string("is no JSON object with a member for each "
                                "joint, like ") +
                        kExample);
  }
  const Json json = ParseJsonText(text, kMaxDepth, name);
  for (const auto& [joint, value] : json.items()) {
    TakeJoint(name, joint, value, start);
  }
}

void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start) {
  ParseLimits(ReadFile(path), path.string(), start);
}

}  // namespace torqued::cli
