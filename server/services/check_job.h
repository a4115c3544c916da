// A check of a trajectory, from its start to its tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/wire/trajectory_messages.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// To be called in turn: Start, Append for each message of samples, Step until
/// the verdict is there, FillNext until all rows are sent. Fields of errors are
/// those of CheckTrajectoryRequest; numbers are "q[1207][3]" of all samples.
class CheckJob {
 public:
  /// `room` admits what is kept. Once the token is cancelled a step ends soon.
  CheckJob(Engine& engine, Reservation* room,
           std::shared_ptr<CancellationToken> cancellation)
      : engine_(engine), room_(room), cancellation_(std::move(cancellation)) {}

  std::optional<Error> Start(v1::CheckTrajectoryStart&& start,
                             const ModelEntry& entry);

  std::optional<Error> Append(const v1::TrajectorySamples& samples);
  std::int64_t rows() const { return static_cast<std::int64_t>(time_.size()); }

  /// Chunks of a few thousand samples at most. The first ones derive rates.
  std::optional<Error> Step();
  std::int64_t rows_checked() const { return check_ ? check_->done() : 0; }
  /// Null until all samples are checked.
  const v1::TrajectoryVerdict* verdict() const {
    return verdict_ ? &*verdict_ : nullptr;
  }

  /// The next rows of the tables that were asked for, for one message.
  std::optional<Error> FillNext(v1::TrajectoryRows* to,
                                std::int64_t max_message_bytes = 1 << 20);
  bool all_rows_filled() const {
    return decoded_.tables.empty() || rows_filled_ == rows();
  }

 private:
  /// The wrench of the profile at a sample's time.
  std::optional<Error> AddWrenchAt(std::size_t row);
  std::optional<Error> Complete();
  std::optional<Error> DeriveRows();
  std::optional<Error> MakeReady();
  std::optional<Error> Conclude();

  Trajectory View() const;

  Engine& engine_;
  Reservation* const room_;
  std::shared_ptr<CancellationToken> cancellation_;
  v1::CheckTrajectoryStart start_;
  std::shared_ptr<const Model> model_;
  ModelEntry entry_;
  DecodedCheck decoded_;
  std::int64_t table_columns_ = 0;  // of all together
  std::vector<double> time_, q_, v_, a_, wrench_;
  bool completed_ = false;  // the samples, but for rates to derive
  std::unique_ptr<SplineDerivatives> derivatives_;  // while they are derived
  std::optional<SplineMethod> derived_;
  std::unique_ptr<TrajectoryCheck> check_;
  std::optional<v1::TrajectoryVerdict> verdict_;
  std::vector<std::vector<double>> tables_;  // as they are asked
  std::int64_t rows_filled_ = 0;
};

}  // namespace torqued::server
