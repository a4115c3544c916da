// A call of torqued.v1.Trajectories.CheckTrajectory: samples in, a verdict out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/trajectory/trajectory_check.h"
#include "server/services/check_tables.h"
#include "server/services/stream_call.h"
#include "server/services/trajectory_samples.h"
#include "server/wire/trajectory_messages.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Samples are read one message after the other and kept. The check runs on the
/// engine's pool, some thousand samples at a time, between the chunks of other
/// calls; its progress is told whenever the client takes it. The tables that
/// were asked for follow the verdict.
class CheckStream final : public StreamCall {
 public:
  CheckStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "CheckTrajectory") {}

 private:
  enum class Phase : std::uint8_t { kReading, kChecking, kAnswering };

  void OnMessage() override;
  std::optional<Error> OnModel(const ModelEntry& entry) override;
  void Conclude() override;
  bool IsAtWork() const override { return stepping_; }
  Steps NextSteps() override;
  std::optional<Error> Work() override;
  void DescribeEnd(Error* error) override;
  void GiveBack() override;

  void OnStart(v1::CheckTrajectoryStart&& start);
  std::optional<Error> OnSamples(const v1::TrajectorySamples& samples);

  // The check, on a thread of the pool.
  void Step();
  std::optional<Error> TakeStep();
  std::optional<Error> BeginCheck();

  /// False: there is nothing to say now, or the call is to end.
  bool NextReply();

  // Of whoever handles a message, then of the check, then of the replies.
  v1::CheckTrajectoryRequest request_;
  v1::CheckTrajectoryStart start_;
  std::shared_ptr<const Model> model_;
  std::string model_name_, revision_;
  std::optional<DecodedCheck> decoded_;
  std::optional<TrajectorySamples> samples_;
  std::optional<TrajectoryCheck> check_;
  std::optional<CheckTables> tables_;
  v1::CheckTrajectoryReply verdict_;

  // Guarded by the lock.
  Phase phase_ = Phase::kReading;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  bool stepping_ = false;  // on the pool
  std::int64_t done_ = 0;  // samples checked
  std::int64_t told_ = 0;  // of these
  bool verdict_sent_ = false;
};

}  // namespace torqued::server
