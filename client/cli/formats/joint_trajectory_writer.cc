#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "client/cli/errors.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

using client::Batch;

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr const char* kHeader =
    R"({"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""})";

std::string NamesText(const std::vector<std::string>& names) {
  return nlohmann::json(names).dump(-1, ' ', /*ensure_ascii=*/false,
                                    nlohmann::json::error_handler_t::replace);
}

struct Stamp {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;

  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

Stamp StampOf(double time) {
  // The whole seconds first: large times keep their fraction.
  const double whole = std::floor(time);
  Stamp stamp{static_cast<std::int64_t>(whole),
              std::llround((time - whole) * 1e9)};
  if (stamp.nanoseconds == kNanosecondsPerSecond) {
    ++stamp.seconds;
    stamp.nanoseconds = 0;
  }
  return stamp;
}

std::vector<Stamp> StampsOf(const std::vector<double>& times,
                            const std::string& name) {
  // Of builtin_interfaces/Duration.
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<Stamp> stamps;
  stamps.reserve(times.size());
  for (const double time : times) {
    const auto fail = [&](const char* why) {
      throw DataError(name, "the time " + ShortestText(time) + " s of point " +
                                std::to_string(stamps.size()) + why);
    };
    if (!(std::abs(time) < kMost)) fail(" does not fit into the message");
    const Stamp stamp = StampOf(time);
    if (!stamps.empty() && stamp <= stamps.back()) {
      fail(" is that of the point before, in whole nanoseconds");
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

std::string StampText(const Stamp& stamp) {
  return R"({"sec": )" + std::to_string(stamp.seconds) + R"(, "nanosec": )" +
         std::to_string(stamp.nanoseconds) + "}";
}

std::string PointText(const JointTrajectory& trajectory, std::size_t k,
                      const Stamp& stamp) {
  std::string text = "{";
  const auto add = [&](const char* field, const Batch& numbers) {
    text += '"' + std::string(field) + "\": [";
    if (numbers.size() > 0) {
      const auto row = numbers.row(static_cast<Eigen::Index>(k));
      for (Eigen::Index j = 0; j < row.cols(); ++j) {
        text += (j == 0 ? "" : ", ") + ShortestText(row[j]);
      }
    }
    text += "], ";
  };
  add("positions", trajectory.positions);
  add("velocities", trajectory.velocities);
  add("accelerations", trajectory.accelerations);
  add("effort", trajectory.effort);
  return text + R"("time_from_start": )" + StampText(stamp) + "}";
}

}  // namespace

std::string JointTrajectoryJson(const JointTrajectory& trajectory,
                                const std::string& name) {
  const std::vector<Stamp> stamps = StampsOf(trajectory.time, name);
  std::string text =
      std::string("{\"header\": ") + kHeader +
      ",\n\"joint_names\": " + NamesText(trajectory.joint_names) +
      ",\n\"points\": [";
  for (std::size_t k = 0; k < trajectory.time.size(); ++k) {
    text += (k == 0 ? "\n" : ",\n") + PointText(trajectory, k, stamps[k]);
  }
  return text + "\n]}\n";
}

}  // namespace torqued::cli
