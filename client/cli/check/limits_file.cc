#include "client/cli/check/limits_file.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Refuses what no robot needs before it fills the stack.
constexpr int kMaxDepth = 8;

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

void TakeJoint(const JointReader& reader, const std::string& name,
               const Json& joint, v1::CheckTrajectoryStart* start) {
  v1::JointBounds bounds;
  v1::JointDrive drive;
  bounds.set_joint(name);
  drive.set_joint(name);
  const std::map<std::string, std::function<void(double)>> numbers = {
      {"lower", [&](double x) { bounds.set_lower(x); }},
      {"upper", [&](double x) { bounds.set_upper(x); }},
      {"velocity", [&](double x) { bounds.set_velocity(x); }},
      {"effort", [&](double x) { bounds.set_effort(x); }},
      {"viscous_friction", [&](double x) { drive.set_viscous_friction(x); }},
      {"coulomb_friction", [&](double x) { drive.set_coulomb_friction(x); }},
      {"armature", [&](double x) { drive.set_armature(x); }}};
  for (const auto& [member, value] : joint.items()) {
    if (member == "torque_at_speed") {
      reader.Curve(member, value, &bounds);
    } else if (const auto known = numbers.find(member);
               known != numbers.end()) {
      known->second(reader.Number(member, value));
    } else {
      reader.Fail("", "has no limit called '" + PlainText(member, 40) + "'");
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

}  // namespace

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const Json json = ParseJsonText(text, kMaxDepth, name);
  if (!json.is_object()) {
    throw DataError(name, "is not an object with a member for each joint");
  }
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
