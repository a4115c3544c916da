#include "client/cli/formats/joint_trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Goals within goals have fewer.
constexpr int kMaxDepth = 16;

/// Fields of a point, and what they hold.
constexpr std::array<std::pair<const char*, const char*>, 4> kFields = {
    {{"positions", "q"},
     {"velocities", "v"},
     {"accelerations", "a"},
     {"effort", "tau"}}};

const Json& MessageIn(const Json& document, const std::string& name) {
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
        name,
        "no trajectory_msgs/JointTrajectory: the file has no joint_names");
  }
  return *message;
}

/// Reads parts of a file; `place` is theirs in the message.
class PartReader {
 public:
  explicit PartReader(const std::string& file) : file_(file) {}

  [[noreturn]] void Fail(const std::string& problem) const {
    throw DataError(file_, problem);
  }

  double Number(const Json& value, const std::string& place) const {
    if (value.is_number()) return value.get<double>();
    Fail(place + " is not a number" +
         (value.is_string()
              ? ": '" + PlainText(value.get<std::string>(), 40) + "'"
              : ""));
  }

  double Time(const Json& point, const std::string& place) const {
    const auto time = point.find("time_from_start");
    if (time == point.end()) Fail(place + " is missing");
    if (!time->is_object()) return Number(*time, place);
    for (const auto& [seconds, nanoseconds] :
         {std::pair{"sec", "nanosec"}, {"secs", "nsecs"}}) {
      const std::size_t known = time->count(seconds) + time->count(nanoseconds);
      if (known == 0 || known != time->size()) continue;
      const auto part = [&](const char* member) {
        const auto found = time->find(member);
        return found == time->end() ? 0 : Number(*found, place + "." + member);
      };
      // Rounded once: 1 s and 234 ns make the double that 1.000000234 is.
      return (part(seconds) * 1e9 + part(nanoseconds)) / 1e9;
    }
    Fail(place + " has other members than sec and nanosec, or secs and nsecs");
  }

  void Row(const Json& numbers, const std::string& place,
           Eigen::RowVectorXd* row) const {
    const auto joints = static_cast<std::size_t>(row->size());
    if (!numbers.is_array()) Fail(place + " is no list");
    if (numbers.size() != joints) {
      Fail(place + " has " + std::to_string(numbers.size()) + " numbers for " +
           std::to_string(joints) + " joints");
    }
    for (std::size_t j = 0; j < joints; ++j) {
      (*row)[static_cast<Eigen::Index>(j)] =
          Number(numbers[j], place + "[" + std::to_string(j) + "]");
    }
  }

 private:
  const std::string& file_;
};

std::string PointPlace(std::size_t k, const char* field) {
  return "points[" + std::to_string(k) + "]." + field;
}

/// Nothing if the point has none, or an empty list.
const Json* FieldOf(const Json& point, const char* field) {
  const auto found = point.find(field);
  const bool absent = found == point.end() || found->is_null() ||
                      (found->is_array() && found->empty());
  return absent ? nullptr : &*found;
}

/// Of all points or of none.
client::Batch BlockOf(const Json& points, const char* field, std::size_t joints,
                      const PartReader& reader) {
  client::Batch block;
  Eigen::RowVectorXd row(static_cast<Eigen::Index>(joints));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Json* const numbers = FieldOf(points[k], field);
    const std::string place = PointPlace(k, field);
    if (k == 0 && numbers != nullptr) {
      block.resize(static_cast<Eigen::Index>(points.size()), row.size());
    }
    const bool expected = block.size() > 0;
    if (expected != (numbers != nullptr)) {
      reader.Fail(place + (expected
                               ? " is missing, though points before have it"
                               : " is there, though points before have none"));
    }
    if (numbers == nullptr) continue;
    reader.Row(*numbers, place, &row);
    block.row(static_cast<Eigen::Index>(k)) = row;
  }
  return block;
}

StateBlocks BlocksOf(const Json& document, const Suffixes& tables,
                     const std::string& name) {
  const Json& message = MessageIn(document, name);
  const PartReader reader(name);
  StateBlocks blocks;
  blocks.joints.emplace();
  const Json& names = message["joint_names"];
  if (!names.is_array()) reader.Fail("joint_names is no list");
  for (const Json& joint : names) {
    if (!joint.is_string()) {
      reader.Fail("joint_names[" + std::to_string(blocks.joints->size()) +
                  "] is no name");
    }
    blocks.joints->push_back(joint.get<std::string>());
  }
  const auto points = message.find("points");
  if (points == message.end() || !points->is_array()) {
    reader.Fail("the message has no list of points");
  }
  for (std::size_t k = 0; k < points->size(); ++k) {
    const Json& point = (*points)[k];
    if (!point.is_object()) {
      reader.Fail("points[" + std::to_string(k) + "] is no point");
    }
    blocks.time.push_back(reader.Time(point, PointPlace(k, "time_from_start")));
  }
  for (const auto& [field, table] : kFields) {
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) {
      client::Batch block =
          BlockOf(*points, field, blocks.joints->size(), reader);
      if (block.size() > 0) blocks.tables.emplace(table, std::move(block));
    } else if (std::any_of(points->begin(), points->end(),
                           [field](const Json& point) {
                             return FieldOf(point, field) != nullptr;
                           })) {
      blocks.unused.emplace_back(field);
    }
  }
  return blocks;
}

/// Whole seconds and nanoseconds.
using Stamp = std::pair<std::int64_t, std::int64_t>;

Stamp StampOf(double time) {
  // The whole seconds first: large times keep their fraction.
  const double whole = std::floor(time);
  const Stamp stamp(static_cast<std::int64_t>(whole),
                    std::llround((time - whole) * 1e9));
  return stamp.second < 1'000'000'000 ? stamp : Stamp(stamp.first + 1, 0);
}

}  // namespace

StateBlocks ParseJointTrajectoryYaml(std::string_view text,
                                     const Suffixes& tables,
                                     const std::string& name) {
  return BlocksOf(ParseYaml(text, kMaxDepth, name), tables, name);
}

StateBlocks ParseJointTrajectoryJson(std::string_view text,
                                     const Suffixes& tables,
                                     const std::string& name) {
  return BlocksOf(ParseJsonText(text, kMaxDepth, name), tables, name);
}

std::string JointTrajectoryJson(const StateBlocks& trajectory,
                                const std::string& name) {
  const Json joints(trajectory.joints.value_or(std::vector<std::string>()));
  std::string text =
      R"({"header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},)"
      "\n\"joint_names\": " +
      joints.dump(-1, ' ', /*ensure_ascii=*/false,
                  Json::error_handler_t::replace) +
      ",\n\"points\": [";
  Stamp before(std::numeric_limits<std::int64_t>::min(), 0);
  for (std::size_t k = 0; k < trajectory.time.size(); ++k) {
    const double time = trajectory.time[k];
    const auto fail = [&](const char* why) {
      throw DataError(name, "the time " + ShortestText(time) + " s of point " +
                                std::to_string(k) + why);
    };
    // Of builtin_interfaces/Duration.
    if (!(std::abs(time) < std::numeric_limits<std::int32_t>::max())) {
      fail(" does not fit into the message");
    }
    const Stamp stamp = StampOf(time);
    if (stamp <= before) {
      fail(" is that of the point before, in whole nanoseconds");
    }
    before = stamp;
    Json point;
    for (const auto& [field, table] : kFields) {
      point[field] = Json::array();
      const auto found = trajectory.tables.find(table);
      if (found == trajectory.tables.end()) continue;
      for (const double x : found->second.row(static_cast<Eigen::Index>(k))) {
        point[field].push_back(x);
      }
    }
    point["time_from_start"] = {{"sec", stamp.first},
                                {"nanosec", stamp.second}};
    text += (k == 0 ? "\n" : ",\n") + point.dump();
  }
  return text + "\n]}\n";
}

}  // namespace torqued::cli
