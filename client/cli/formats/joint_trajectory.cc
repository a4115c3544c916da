#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "client/cli/formats/container.h"

namespace torqued::cli {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> kFields = {
    {{"positions", "q"},
     {"velocities", "v"},
     {"accelerations", "a"},
     {"effort", "tau"}}};

/// Null without a message, or with two.
const Json* MessageIn(const Json& document) {
  if (document.contains("joint_names")) return &document;
  const Json* within = nullptr;
  for (const char* const member : {"goal", "trajectory", "joint_trajectory"}) {
    if (!document.contains(member)) continue;
    if (within != nullptr) return nullptr;
    within = &document[member];
  }
  return within == nullptr ? nullptr : MessageIn(*within);
}

/// Nothing if the point has none, or an empty list.
const Json* FieldOf(const Json& point, const char* field) {
  const auto found = point.find(field);
  const bool absent = found == point.end() || found->is_null() ||
                      (found->is_array() && found->empty());
  return absent ? nullptr : &*found;
}

double NumberOf(const Json& value, const std::string& name,
                const auto&... place) {
  RequireData(value.is_number(), name, place..., " is not a number: ", [&] {
    return Printable(value.dump(-1, ' ', false, Json::error_handler_t::replace),
                     40);
  });
  return value.get<double>();
}

double TimeOf(const Json& time, const std::string& name,
              const std::string& place) {
  if (!time.is_object()) return NumberOf(time, name, place);
  for (const auto& [seconds, nanoseconds] :
       {std::pair{"sec", "nanosec"}, {"secs", "nsecs"}}) {
    const std::size_t known = time.count(seconds) + time.count(nanoseconds);
    if (known == 0 || known != time.size()) continue;
    const auto part = [&](const char* member) {
      return NumberOf(time.value(member, Json(0)), name, place, ".", member);
    };
    // Rounded once: 1 s and 234 ns make the double that 1.000000234 is.
    return (part(seconds) * 1e9 + part(nanoseconds)) / 1e9;
  }
  throw DataError(name, place,
                  " has other members than sec and nanosec, or secs and nsecs");
}

/// The numbers of all points, or empty if the first one has none.
client::Batch BlockOf(const Json& points, const char* field, std::size_t joints,
                      const std::string& name) {
  if (points.empty() || FieldOf(points[0], field) == nullptr) return {};
  client::Batch block(std::ssize(points), static_cast<Eigen::Index>(joints));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Json* const numbers = FieldOf(points[k], field);
    RequireData(
        numbers != nullptr && numbers->is_array() && numbers->size() == joints,
        name, "points[", k, "].", field, " is not a list of ", joints,
        " numbers");
    for (std::size_t j = 0; j < joints; ++j) {
      block(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
          NumberOf((*numbers)[j], name, "points[", k, "].", field, "[", j, "]");
    }
  }
  return block;
}

}  // namespace

StateTable ReadJointTrajectory(const Json& document, const Suffixes& tables,
                               const std::string& name) {
  const Json* const found = MessageIn(document);
  if (found == nullptr) {
    throw NotATrajectory(name,
                         "no trajectory_msgs/JointTrajectory: the file has no "
                         "joint_names");
  }
  const Json& message = *found;
  StateTable blocks;
  std::vector<std::string>& joints = blocks.joints.emplace();
  const Json& names = message["joint_names"];
  RequireData(names.is_array(), name, "joint_names is not a list");
  for (const Json& joint : names) {
    RequireData(joint.is_string(), name, "joint_names[", joints.size(),
                "] is not a name");
    joints.push_back(joint.get<std::string>());
  }
  const auto list = message.find("points");
  RequireData(list != message.end() && list->is_array(), name,
              "the message has no list of points");
  const Json& points = *list;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::string place = Cat("points[", k, "].time_from_start");
    const Json& point = points[k];
    RequireData(point.is_object() && point.contains("time_from_start"), name,
                place, " is missing");
    blocks.time.push_back(TimeOf(point["time_from_start"], name, place));
  }
  for (const auto& [field, table] : kFields) {
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) {
      client::Batch block = BlockOf(points, field, joints.size(), name);
      if (block.size() > 0) blocks.tables.emplace(table, std::move(block));
    } else if (std::any_of(points.begin(), points.end(),
                           [field](const Json& point) {
                             return FieldOf(point, field) != nullptr;
                           })) {
      blocks.unused.emplace_back(field);
    }
  }
  return blocks;
}

std::string JointTrajectoryJson(const StateTable& trajectory,
                                const std::string& name) {
  Json message = {
      {"header", {{"stamp", {{"sec", 0}, {"nanosec", 0}}}, {"frame_id", ""}}},
      {"joint_names", *trajectory.joints},
      {"points", Json::array()}};
  std::pair<double, long long> before(-INFINITY, 0);
  for (std::size_t k = 0; k < trajectory.time.size(); ++k) {
    const double time = trajectory.time[k];
    const auto require = [&](bool holds, const char* problem) {
      RequireData(holds, name, "the time ", NumberText(time), " s of point ", k,
                  problem);
    };
    // Seconds of builtin_interfaces/Duration.
    require(std::abs(time) < std::numeric_limits<std::int32_t>::max(),
            " does not fit into the message");
    // The whole seconds first: large times keep their fraction.
    std::pair stamp(std::floor(time),
                    std::llround((time - std::floor(time)) * 1e9));
    if (stamp.second == 1'000'000'000) stamp = {stamp.first + 1, 0};
    require(stamp > before,
            " is that of the point before, in whole nanoseconds");
    before = stamp;
    Json& point = message["points"].emplace_back();
    for (const auto& [field, table] : kFields) {
      point[field] = Json::array();
      const auto found = trajectory.tables.find(table);
      if (found == trajectory.tables.end()) continue;
      const auto row = found->second.row(static_cast<Eigen::Index>(k));
      point[field] = std::vector<double>(row.begin(), row.end());
    }
    point["time_from_start"] = {{"sec", static_cast<std::int64_t>(stamp.first)},
                                {"nanosec", stamp.second}};
  }
  return ToText(message);
}

}  // namespace torqued::cli
