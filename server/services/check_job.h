// A check of a trajectory, from its start to its tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/trajectory/trajectory_check.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/services/check_tables.h"
#include "server/services/trajectory_samples.h"
#include "server/wire/trajectory_messages.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Whoever has the messages calls these in turn: Start, Append for each
/// message of samples, Step until the verdict is there, and FillNext until all
/// rows are told. Fields of errors are those of CheckTrajectoryRequest, but for
/// numbers: these have their place in all samples, as "q[1207][3]".
class CheckJob {
 public:
  /// Once the token is cancelled a step returns soon.
  CheckJob(Engine& engine, PeerAdmission admission,
           std::shared_ptr<CancellationToken> cancellation)
      : engine_(engine),
        admission_(admission),
        cancellation_(std::move(cancellation)) {}

  std::optional<Error> Start(v1::CheckTrajectoryStart&& start,
                             const ModelEntry& entry);
  bool started() const { return samples_.has_value(); }

  std::optional<Error> Append(const v1::TrajectorySamples& samples);
  std::int64_t rows() const { return samples_ ? samples_->rows() : 0; }
  /// Admitted.
  Admission::Load load() const {
    return samples_ ? samples_->load() : Admission::Load();
  }

  /// The first ones derive rates and make ready; each looks at some thousand
  /// samples at most, on the thread of the caller.
  std::optional<Error> Step();
  std::int64_t rows_checked() const { return check_ ? check_->done() : 0; }
  /// Null until all samples are checked.
  const v1::TrajectoryVerdict* verdict() const {
    return verdict_ ? &*verdict_ : nullptr;
  }

  /// Of the tables that were asked for, from the first row on.
  std::optional<Error> FillNext(v1::TrajectoryRows* rows);
  bool all_rows_filled() const { return tables_->done(); }

 private:
  std::optional<Error> Derive();
  std::optional<Error> MakeReady();
  std::optional<Error> Conclude();

  Engine& engine_;
  PeerAdmission admission_;
  std::shared_ptr<CancellationToken> cancellation_;
  v1::CheckTrajectoryStart start_;
  std::shared_ptr<const Model> model_;
  std::string model_name_, revision_;
  Validation validation_ = Validation::kDefault;
  std::optional<DecodedCheck> decoded_;
  std::optional<TrajectorySamples> samples_;
  bool completed_ = false;  // `samples_`, but for rates to derive
  std::optional<CheckTables> tables_;
  std::optional<TrajectoryCheck> check_;
  std::optional<v1::TrajectoryVerdict> verdict_;
};

}  // namespace torqued::server
