#include "client/cli/check/limits_file.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "client/cli/formats/file_text.h"
#include "client/cli/message_json.h"
#include "client/cli/table_file.h"

namespace torqued::cli {

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const auto require = [&name](bool holds, const std::string& problem) {
    RequireData(
        holds, name, problem,
        R"(; limits are written like {"drives": [{"dof": "elbow_joint", )"
        R"("velocity_limit": 2, "effort_limit": 120}], "position_limits": )"
        R"([{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]})");
  };
  require(text.find("joint_limits:") == std::string_view::npos,
          "this is a joint_limits.yaml of MoveIt, which is not read");
  // A depth that limits do not need would fill the stack.
  const auto json = ParseJsonText(text, /*depth=*/8, name);
  require(json.is_object(), "this is no JSON object");
  v1::CheckTrajectoryStart limits;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json.dump(), &limits);
  require(status.ok(), Printable(std::string(status.message()), 400));
  start->mutable_drives()->Swap(limits.mutable_drives());
  start->mutable_position_limits()->Swap(limits.mutable_position_limits());
  limits.clear_drives();
  limits.clear_position_limits();
  require(limits.ByteSizeLong() == 0, "only these two members are limits");
}

void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start) {
  ParseLimits(ReadFile(path), path.string(), start);
}

void ReadWrenchProfile(const std::filesystem::path& path,
                       v1::CheckTrajectoryStart* start) {
  const std::vector<std::string> kColumns = {"time", "mx", "my", "mz",
                                             "fx",   "fy", "fz"};
  const std::string name = path.string();
  const CsvTable table = ParseTable(ReadFile(path), name);
  RequireData(
      table.numbers.rows() > 0 &&
          (!table.header.empty() || table.numbers.cols() == 7),
      name,
      "a wrench profile is CSV or NPY with rows of time, mx, my, mz, fx, fy, "
      "fz");
  const auto columns =
      PlacesOf(kColumns, table.header.empty() ? kColumns : table.header,
               {kColumns.begin(), kColumns.end()}, "column", name);
  for (const auto& row : table.numbers.rowwise()) {
    v1::WrenchPoint* point = start->add_tip_wrench_profile();
    point->set_time(row[columns[0]]);
    for (std::size_t k = 1; k < columns.size(); ++k) {
      point->mutable_wrench()->Add(row[columns[k]]);
    }
  }
}

}  // namespace torqued::cli
