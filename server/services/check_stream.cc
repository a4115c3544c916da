// A call of torqued.v1.Trajectories.CheckTrajectory: samples in, a verdict out.

#include "server/services/call.h"
#include "server/services/check_job.h"

namespace torqued::server {
namespace {

/// Samples are read and kept. The check runs beside the engine's pool, some
/// thousand samples at a time, between the steps of other checks; its progress
/// is told whenever the client takes it. Tables follow the verdict.
class CheckStream final : public StreamCall {
 public:
  CheckStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : StreamCall(call, context, "CheckTrajectory"),
        job_(std::in_place, context.engine, &room_, cancellation_) {
    volume_.emplace();
  }

 private:
  enum class Phase : std::uint8_t { kReading, kChecking, kVerdict, kTables };

  void OnMessage() override {
    auto error = OrFault([this] { return Take(); });
    if (error || !request_.has_start()) return Handled(std::move(error));
    FindModel(request_.start().model());
  }

  /// Takes over a message, but for a start: that is checked only.
  std::optional<Error> Take() {
    const std::int64_t before = room_.bytes();
    request_ = {};  // Clear would keep the memory
    if (auto error = Receive(&bytes_, &request_, &room_)) return error;
    const bool start = request_.has_start(), samples = request_.has_samples();
    auto error =
        ProblemOfKind(!started_ || start == samples, start, samples, "samples");
    if (error || start) return error;
    // Not counted twice: what is kept of it is admitted before it is copied.
    room_.ShrinkTo(before);
    error = job_->Append(request_.samples());
    request_ = {};
    volume_->rows = job_->rows();
    return error;
  }

  std::optional<Error> OnModel(const ModelEntry& entry) override {
    room_.ShrinkTo(0);  // as above
    return job_->Start(std::move(*request_.mutable_start()), entry);
  }

  /// On a thread for what is not cut.
  void Step() {
    auto error =
        OrFault([this] { return cancelled() ? std::nullopt : job_->Step(); });
    Lock lock(mutex_);
    --working_;
    if (error) EndWith(*std::move(error));
    done_ = job_->rows_checked();
    if (job_->verdict() != nullptr) {
      phase_ = Phase::kVerdict;
      CountSamples(done_);
    }
    Advance(std::move(lock));
  }

  void Work() override {
    try {
      context_.background.Submit([this] { Step(); }, host());
    } catch (...) {
      const Lock lock(mutex_);
      --working_;
      EndWith(FaultOfTheServer());
    }
  }

  /// Under the lock. False: there is nothing to say now, or the call is to end.
  bool NextReply() {
    v1::CheckTrajectoryReply reply;
    if (phase_ == Phase::kReading) return false;
    if (phase_ == Phase::kChecking) {
      if (done_ == told_) return false;
      told_ = done_;
      reply.mutable_progress()->set_samples_done(
          static_cast<std::uint64_t>(done_));
      reply.mutable_progress()->set_samples(
          static_cast<std::uint64_t>(job_->rows()));
    } else if (phase_ == Phase::kVerdict) {
      phase_ = Phase::kTables;
      *reply.mutable_verdict() = *job_->verdict();
    } else if (job_->all_rows_filled()) {
      Succeed();
      return false;
    } else if (auto error = job_->FillNext(reply.mutable_rows(),
                                           context_.limits.max_message_bytes)) {
      EndWith(*std::move(error));
      return false;
    }
    SerializeMessage(reply, &outgoing_);
    return true;
  }

  Steps NextSteps() override {
    Steps steps;
    if (phase_ == Phase::kReading && !handling_) {
      if (input_ended_) {
        phase_ = Phase::kChecking;
      } else if (draining_) {
        EndWith(Draining());
      } else if (!reading_) {
        steps.read = &bytes_;
      }
    }
    if (!writing_ && NextReply()) steps.write = &outgoing_;
    steps.work = phase_ == Phase::kChecking && working_ == 0 && !ending();
    if (steps.work) ++working_;
    return steps;
  }

  void OnEnd(Error* /*error*/) override { job_.reset(); }

  // Of whoever handles a message, then of the steps, then of the replies.
  grpc::ByteBuffer bytes_;
  v1::CheckTrajectoryRequest request_;
  std::optional<CheckJob> job_;  // until its end is told

  // Guarded by the lock.
  Phase phase_ = Phase::kReading;
  grpc::ByteBuffer outgoing_;
  std::int64_t done_ = 0;  // samples checked
  std::int64_t told_ = 0;  // of these
};

}  // namespace

std::shared_ptr<StreamCall> NewCheckStream(grpc::CallbackServerContext* call,
                                           ServiceContext& context) {
  return std::make_shared<CheckStream>(call, context);
}

}  // namespace torqued::server
