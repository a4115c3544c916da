#include "server/services/check_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "server/wire/trajectory_messages.h"

namespace torqued::server {
namespace {

/// Of the tables in one message.
constexpr std::int64_t kMessageBytes = 512 << 10;

/// Where the check puts a table; null: it is there before, as v and a are.
double** RoomOf(v1::TrajectoryTable table, TrajectoryTables& tables) {
  switch (table) {
    case v1::TRAJECTORY_TABLE_TAU:
      return &tables.tau;
    case v1::TRAJECTORY_TABLE_PATH_A:
      return &tables.a;
    case v1::TRAJECTORY_TABLE_PATH_B:
      return &tables.b;
    case v1::TRAJECTORY_TABLE_PATH_C:
      return &tables.c;
    case v1::TRAJECTORY_TABLE_PATH_D:
      return &tables.d;
    case v1::TRAJECTORY_TABLE_PATH_E:
      return &tables.e;
    case v1::TRAJECTORY_TABLE_TORQUE_LIMIT:
      return &tables.torque_limit;
    case v1::TRAJECTORY_TABLE_SIGMA_MIN:
      return &tables.sigma_min;
    case v1::TRAJECTORY_TABLE_CONDITION:
      return &tables.condition;
    default:
      return nullptr;
  }
}

/// The place of the first number that does not fit, or `count`.
std::int64_t CopyNumbers(const double* numbers, std::int64_t count,
                         const OutputArray& to) {
  if (to.type == NumberType::kF64) {
    std::copy_n(numbers, count, static_cast<double*>(to.data));
    return count;
  }
  auto* const floats = static_cast<float*>(to.data);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers[i]) &&
        std::abs(numbers[i]) >
            static_cast<double>(std::numeric_limits<float>::max())) {
      return i;
    }
    floats[i] = static_cast<float>(numbers[i]);
  }
  return count;
}

}  // namespace

std::int64_t CheckTables::columns() const {
  std::int64_t columns = 0;
  for (const v1::TrajectoryTable table : wanted_) {
    columns += ColumnsOf(table, joints_);
  }
  return columns;
}

TrajectoryTables CheckTables::Reserve(std::int64_t rows) {
  rows_ = rows;
  TrajectoryTables tables;
  numbers_.resize(wanted_.size());
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    double** const room = RoomOf(wanted_[k], tables);
    if (room == nullptr) continue;
    numbers_[k].resize(
        static_cast<std::size_t>(rows * ColumnsOf(wanted_[k], joints_)));
    *room = numbers_[k].data();
  }
  return tables;
}

std::optional<Error> CheckTables::FillNext(const Trajectory& trajectory,
                                           Payload encoding,
                                           v1::TrajectoryRows* to) {
  const std::int64_t bytes_per_row =
      std::max<std::int64_t>(1, columns()) * std::int64_t{sizeof(double)};
  const std::int64_t count =
      std::min(rows_ - rows_filled_,
               std::max<std::int64_t>(1, kMessageBytes / bytes_per_row));
  to->set_first_sample(static_cast<std::uint64_t>(rows_filled_));
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    const v1::TrajectoryTable table = wanted_[k];
    const int width = ColumnsOf(table, joints_);
    if (width == 0) continue;
    const double* numbers =
        table == v1::TRAJECTORY_TABLE_V   ? trajectory.v.data()
        : table == v1::TRAJECTORY_TABLE_A ? trajectory.a.data()
                                          : numbers_[k].data();
    numbers += rows_filled_ * width;
    const std::int64_t overflow =
        CopyNumbers(numbers, count * width,
                    AllocateArray(encoding, count, width, ArrayOf(table, to)));
    if (overflow < count * width) {
      return FieldError(v1::INVALID_OPTION, "options.encoding",
                        v1::TrajectoryTable_Name(table) + " of sample " +
                            std::to_string(rows_filled_ + overflow / width) +
                            " is too large for single precision.");
    }
  }
  rows_filled_ += count;
  return std::nullopt;
}

}  // namespace torqued::server
