#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "client/cli/errors.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/formats/yaml_tree.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;
using client::Batch;

/// Goals within goals have fewer.
constexpr int kMaxDepth = 16;

std::string Point(std::size_t k) { return "points[" + std::to_string(k) + "]"; }

class TrajectoryReader {
 public:
  TrajectoryReader(std::span<const std::string_view> fields,
                   const std::string& name)
      : fields_(fields), name_(name) {}

  JointTrajectory Read(const Json& document) const {
    const Json& message = Message(document);
    JointTrajectory trajectory;
    trajectory.joint_names = Names(message);
    const auto points = message.find("points");
    if (points == message.end() || !points->is_array()) {
      Fail("has no list of points");
    }
    for (std::size_t k = 0; k < points->size(); ++k) {
      if (!(*points)[k].is_object()) Fail(Point(k) + " is no point");
      trajectory.time.push_back(Time((*points)[k], Point(k)));
    }
    const std::size_t joints = trajectory.joint_names.size();
    const auto take = [&](const char* field, Batch* numbers) {
      if (std::find(fields_.begin(), fields_.end(), field) != fields_.end()) {
        *numbers = Block(*points, field, joints);
      } else if (std::any_of(points->begin(), points->end(),
                             [field](const Json& point) {
                               return Field(point, field) != nullptr;
                             })) {
        trajectory.unused.emplace_back(field);
      }
    };
    take("positions", &trajectory.positions);
    take("velocities", &trajectory.velocities);
    take("accelerations", &trajectory.accelerations);
    take("effort", &trajectory.effort);
    return trajectory;
  }

 private:
  [[noreturn]] void Fail(const std::string& problem) const {
    throw DataError(name_, problem);
  }

  const Json& Message(const Json& document) const {
    const Json* message = &document;
    while (message->is_object() && !message->contains("points")) {
      const Json* within = nullptr;
      int count = 0;
      for (const char* const member :
           {"goal", "trajectory", "joint_trajectory"}) {
        const auto inner = message->find(member);
        if (inner == message->end()) continue;
        within = &*inner;
        ++count;
      }
      // Of two nobody knows which one is meant.
      if (count != 1) break;
      message = within;
    }
    if (!message->is_object() || !message->contains("joint_names")) {
      throw NotATrajectory(
          name_,
          "is no trajectory_msgs/JointTrajectory: it has no joint_names");
    }
    return *message;
  }

  std::vector<std::string> Names(const Json& message) const {
    const Json& list = message["joint_names"];
    if (!list.is_array()) Fail("joint_names is no list");
    std::vector<std::string> names;
    for (const Json& name : list) {
      if (!name.is_string()) {
        Fail("joint_names[" + std::to_string(names.size()) + "] is no name");
      }
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  double Number(const Json& value, const std::string& place) const {
    if (!value.is_number()) {
      Fail(place + " is not a number" +
           (value.is_string()
                ? ": '" + PlainText(value.get<std::string>(), 40) + "'"
                : ""));
    }
    return value.get<double>();
  }

  double Time(const Json& point, const std::string& place) const {
    const auto time = point.find("time_from_start");
    const std::string where = place + ".time_from_start";
    if (time == point.end()) Fail(where + " is missing");
    if (!time->is_object()) return Number(*time, where);
    for (const auto& [seconds, nanoseconds] :
         {std::pair{"sec", "nanosec"}, {"secs", "nsecs"}}) {
      const std::size_t known = time->count(seconds) + time->count(nanoseconds);
      if (known == 0 || known != time->size()) continue;
      const auto part = [&](const char* name) {
        const auto found = time->find(name);
        return found == time->end() ? 0 : Number(*found, where + "." + name);
      };
      // Rounded once: 1 s and 234 ns make the double that 1.000000234 is.
      return (part(seconds) * 1e9 + part(nanoseconds)) / 1e9;
    }
    Fail(where + " has other members than sec and nanosec, or secs and nsecs");
  }

  /// Nothing where the point has none, or an empty list.
  static const Json* Field(const Json& point, const char* field) {
    const auto found = point.find(field);
    const bool absent = found == point.end() || found->is_null() ||
                        (found->is_array() && found->empty());
    return absent ? nullptr : &*found;
  }

  /// Of all points or of none.
  Batch Block(const Json& points, const char* field, std::size_t joints) const {
    Batch block;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Json* const numbers = Field(points[k], field);
      const std::string place = Point(k) + "." + field;
      if (k == 0 && numbers != nullptr) {
        block.resize(static_cast<Eigen::Index>(points.size()),
                     static_cast<Eigen::Index>(joints));
      }
      const bool expected = block.size() > 0;
      if (expected != (numbers != nullptr)) {
        Fail(place + (expected ? " is missing, though points before have it"
                               : " is there, though points before have none"));
      }
      if (numbers == nullptr) continue;
      if (!numbers->is_array()) Fail(place + " is no list");
      if (numbers->size() != joints) {
        Fail(place + " has " + std::to_string(numbers->size()) +
             " numbers for " + std::to_string(joints) + " joints");
      }
      for (std::size_t j = 0; j < joints; ++j) {
        block(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
            Number((*numbers)[j], place + "[" + std::to_string(j) + "]");
      }
    }
    return block;
  }

  const std::span<const std::string_view> fields_;
  const std::string& name_;
};

}  // namespace

JointTrajectory ParseJointTrajectoryYaml(
    std::string_view text, std::span<const std::string_view> fields,
    const std::string& name) {
  return TrajectoryReader(fields, name).Read(ParseYaml(text, kMaxDepth, name));
}

JointTrajectory ParseJointTrajectoryJson(
    std::string_view text, std::span<const std::string_view> fields,
    const std::string& name) {
  return TrajectoryReader(fields, name)
      .Read(ParseJsonText(text, kMaxDepth, name));
}

}  // namespace torqued::cli
