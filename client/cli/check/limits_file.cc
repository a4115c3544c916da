#include "client/cli/check/limits_file.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/table_file.h"
#include "core/base/text.h"

namespace torqued::cli {

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const auto require = [&name](bool holds, const std::string& problem) {
    if (holds) return;
    throw DataError(
        name,
        problem +
            R"(; limits are written like {"drives": [{"dof": "elbow_joint", )"
            R"("velocity_limit": 2, "effort_limit": 120}], )"
            R"("position_limits": [{"coordinate": "elbow_joint", )"
            R"("lower": -3, "upper": 3}]})");
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
  if (table.numbers.rows() == 0 ||
      (table.header.empty() && table.numbers.cols() != 7)) {
    throw DataError(name,
                    "a wrench profile is CSV or NPY with rows of time, mx, "
                    "my, mz, fx, fy, fz");
  }
  ColumnNames names("column", table.header.empty() ? kColumns : table.header,
                    {kColumns.begin(), kColumns.end()}, name);
  std::vector<Eigen::Index> columns;
  for (const std::string& column : kColumns) {
    columns.push_back(names.Require(column));
  }
  for (const auto& row : table.numbers.rowwise()) {
    v1::WrenchPoint* point = start->add_tip_wrench_profile();
    point->set_time(row[columns[0]]);
    for (std::size_t k = 1; k < columns.size(); ++k) {
      point->mutable_wrench()->Add(row[columns[k]]);
    }
  }
}

}  // namespace torqued::cli
