// The tables that a check was asked for, sample by sample.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "server/errors/error.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

class CheckTables {
 public:
  /// For so many joints.
  CheckTables(std::span<const v1::TrajectoryTable> wanted, int joints)
      : wanted_(wanted.begin(), wanted.end()), joints_(joints) {}

  bool empty() const { return wanted_.empty(); }
  /// Of all tables together.
  std::int64_t columns() const;

  /// Makes room for what the check is to fill in. Once, before it.
  TrajectoryTables Reserve(std::int64_t rows);

  /// The next rows, as many as go well into one message. `trajectory`: with
  /// the rates that were checked. An error names "options.encoding".
  std::optional<Error> FillNext(const Trajectory& trajectory, Payload encoding,
                                v1::TrajectoryRows* to);
  /// Whether all rows have been filled in. Once they are reserved.
  bool done() const { return empty() || rows_filled_ == rows_; }

 private:
  const std::vector<v1::TrajectoryTable> wanted_;
  const int joints_;
  std::int64_t rows_ = 0;
  std::int64_t rows_filled_ = 0;
  std::vector<std::vector<double>> numbers_;  // as `wanted_`
};

}  // namespace torqued::server
