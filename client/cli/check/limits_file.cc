#include "client/cli/check/limits_file.h"

#include <google/protobuf/util/json_util.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/json_tree.h"
#include "client/cli/named_columns.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// Refuses a depth that limits do not need before it fills the stack.
constexpr int kMaxDepth = 8;
constexpr const char* kForm =
    R"({"drives": [{"dof": "elbow_joint", "velocity_limit": 2, )"
    R"("effort_limit": 120}], "position_limits": [{"coordinate": )"
    R"("elbow_joint", "lower": -3, "upper": 3}]})";
constexpr std::array<const char*, 7> kColumns = {"time", "mx", "my", "mz",
                                                 "fx",   "fy", "fz"};

}  // namespace

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const auto refuse = [&](const std::string& problem) {
    throw DataError(name, problem + "; limits are written like " + kForm);
  };
  if (text.find("joint_limits:") != std::string_view::npos) {
    refuse("this is a joint_limits.yaml of MoveIt, which is not read");
  }
  const auto json = ParseJsonText(text, kMaxDepth, name);
  if (!json.is_object()) refuse("this is no JSON object");
  v1::CheckTrajectoryStart limits;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json.dump(), &limits);
  if (!status.ok()) refuse(PlainText(std::string(status.message()), 400));
  start->mutable_drives()->Swap(limits.mutable_drives());
  start->mutable_position_limits()->Swap(limits.mutable_position_limits());
  limits.clear_drives();
  limits.clear_position_limits();
  if (limits.ByteSizeLong() > 0) refuse("only these two members are limits");
}

void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start) {
  ParseLimits(ReadFile(path), path.string(), start);
}

void ReadWrenchProfile(const std::filesystem::path& path,
                       v1::CheckTrajectoryStart* start) {
  const std::string name = path.string();
  const std::string content = ReadFile(path);
  const Container container = ContainerOfContent(content, path);
  if (container != Container::kCsv && container != Container::kNpy) {
    throw DataError(name, "a wrench profile is CSV or NPY");
  }
  const CsvTable csv = ParseTable(content, name);
  client::Batch table = csv.numbers;
  if (!csv.header.empty()) {
    NamedColumns columns(csv, name);
    table.resize(csv.numbers.rows(), Eigen::Index{kColumns.size()});
    Eigen::Index at = 0;
    for (const char* const column : kColumns) {
      const auto numbers = columns.TakeOne(column);
      if (!numbers) {
        throw DataError(name, std::string("the file has no column ") + column +
                                  NearHint(column, columns.Unused(),
                                           {kColumns.begin(), kColumns.end()}));
      }
      table.col(at++) =
          Eigen::Map<const Eigen::VectorXd>(numbers->data(), table.rows());
    }
  }
  if (table.cols() != Eigen::Index{kColumns.size()} || table.rows() == 0) {
    throw DataError(name,
                    "a wrench profile has rows of time, mx, my, mz, fx, "
                    "fy, fz; this file has " +
                        std::to_string(table.rows()) + " rows of " +
                        std::to_string(table.cols()) + " numbers");
  }
  for (const auto& row : table.rowwise()) {
    v1::WrenchPoint* point = start->add_tip_wrench_profile();
    point->set_time(row[0]);
    point->mutable_wrench()->Add(row.data() + 1, row.data() + row.size());
  }
}

}  // namespace torqued::cli
