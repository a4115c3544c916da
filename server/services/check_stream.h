// A call of torqued.v1.Trajectories.CheckTrajectory: samples in, a verdict out.
#pragma once

#include <cstdint>
#include <optional>

#include "server/services/check_job.h"
#include "server/services/stream_call.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Samples are read and kept. The check runs beside the engine's pool, some
/// thousand samples at a time, between the steps of other checks; its progress
/// is told whenever the client takes it. Tables follow the verdict.
class CheckStream final : public StreamCall {
 public:
  CheckStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "CheckTrajectory"),
        job_(std::in_place, context.engine, &room_, cancellation_) {}

 private:
  enum class Phase : std::uint8_t { kReading, kChecking, kAnswering };

  void OnMessage() override;
  std::optional<Error> OnModel(const ModelEntry& entry) override;
  Steps NextSteps() override;
  void Work() override;
  void OnEnd(Error* /*error*/) override {
    set_volume(0, job_->rows());
    job_.reset();
  }

  /// Takes over a message, but for a start: that is checked only.
  std::optional<Error> Take();
  /// On a thread for what is not cut.
  void Step();
  /// Under the lock. False: there is nothing to say now, or the call is to end.
  bool NextReply();

  // Of whoever handles a message, then of the steps, then of the replies.
  v1::CheckTrajectoryRequest request_;
  std::optional<CheckJob> job_;  // until its end is told

  // Guarded by the lock.
  Phase phase_ = Phase::kReading;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  std::int64_t done_ = 0;  // samples checked
  std::int64_t told_ = 0;  // of these
  bool verdict_sent_ = false;
};

}  // namespace torqued::server
