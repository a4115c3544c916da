#include "server/services/check_stream.h"

#include <utility>

namespace torqued::server {

void CheckStream::OnMessage() {
  auto error = OrFault([this] { return Take(); });
  if (error || !request_.has_start()) return Handled(std::move(error));
  FindModel(request_.start().model());
}

std::optional<Error> CheckStream::Take() {
  const std::int64_t before = room_.bytes();
  if (auto error = Receive(&incoming_, &request_, &room_)) return error;
  const bool start = request_.has_start(), samples = request_.has_samples();
  const bool first = !job_->started() || start == samples;
  auto error = ProblemOfKind(first, start, samples, "samples");
  if (error || request_.has_start()) return error;
  // Not counted twice: what is kept of it is admitted before it is copied.
  room_.ShrinkTo(before);
  error = job_->Append(request_.samples());
  request_ = v1::CheckTrajectoryRequest();  // Clear would keep the memory
  return error;
}

std::optional<Error> CheckStream::OnModel(const ModelEntry& entry) {
  room_.ShrinkTo(0);  // as above
  auto error = job_->Start(std::move(*request_.mutable_start()), entry);
  request_ = v1::CheckTrajectoryRequest();  // Clear would keep the memory
  return error;
}

void CheckStream::Step() {
  auto error =
      OrFault([this] { return cancelled() ? std::nullopt : job_->Step(); });
  Lock lock(mutex_);
  --working_;
  if (error) EndWith(*std::move(error));
  done_ = job_->rows_checked();
  if (job_->verdict() != nullptr) {
    phase_ = Phase::kAnswering;
    CountSamples(done_);
  }
  Advance(std::move(lock));
}

void CheckStream::Work() {
  try {
    context_.background.Submit([this] { Step(); }, host());
  } catch (...) {
    const Lock lock(mutex_);
    --working_;
    EndWith(FaultOfTheServer());
  }
}

bool CheckStream::NextReply() {
  v1::CheckTrajectoryReply reply;
  if (phase_ == Phase::kReading) return false;
  if (phase_ == Phase::kChecking) {
    if (done_ == told_) return false;
    told_ = done_;
    reply.mutable_progress()->set_samples_done(
        static_cast<std::uint64_t>(done_));
    reply.mutable_progress()->set_samples(
        static_cast<std::uint64_t>(job_->rows()));
  } else if (!verdict_sent_) {
    verdict_sent_ = true;
    *reply.mutable_verdict() = *job_->verdict();
  } else if (job_->all_rows_filled()) {
    Succeed();
    return false;
  } else if (auto error = job_->FillNext(reply.mutable_rows())) {
    EndWith(*std::move(error));
    return false;
  }
  SerializeMessage(reply, &outgoing_);
  return true;
}

StreamCall::Steps CheckStream::NextSteps() {
  Steps steps;
  if (phase_ == Phase::kReading && !handling_) {
    if (input_ended_ && !job_->started()) {
      EndWith(FieldError(v1::INVALID_FIELD, "start",
                         "The stream ended before its start."));
    } else if (input_ended_) {
      phase_ = Phase::kChecking;
    } else if (draining_) {
      EndWith(Draining());
    } else if (!reading_) {
      steps.read = &incoming_;
    }
  }
  if (!writing_ && NextReply()) steps.write = &outgoing_;
  steps.work = phase_ == Phase::kChecking && working_ == 0 && !ending();
  if (steps.work) ++working_;
  return steps;
}

}  // namespace torqued::server
