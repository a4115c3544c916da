#include "server/services/check_stream.h"

#include <utility>

#include "server/observability/metrics.h"
#include "server/services/receive.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

void CheckStream::OnMessage() {
  std::optional<Error> error;
  try {
    error =
        Receive(&incoming_, {context_.admission, record_.peer(), job_->load()},
                &request_, &request_reservation_);
    if (error) {
      // As it is.
    } else if (request_.has_start() == request_.has_samples()) {
      error = WrongMessage(request_.has_start() ? "samples" : "start",
                           "A message is either the start or samples.");
    } else if (request_.has_start()) {
      return OnStart();
    } else if (!job_->started()) {
      error = WrongMessage("start", "The first message must be the start.");
    } else {
      // Not counted twice: what is kept of it is admitted before it is copied.
      request_reservation_ = {};
      error = job_->Append(request_.samples());
      DropRequest();
    }
  } catch (...) {
    error = FaultOfTheServer();
  }
  Handled(std::move(error));
}

void CheckStream::OnStart() {
  if (job_->started()) {
    return Handled(
        WrongMessage("start", "Only the first message may be a start."));
  }
  FindModel(request_.start().model());
}

std::optional<Error> CheckStream::OnModel(const ModelEntry& entry) {
  request_reservation_ = {};  // as above
  auto error = job_->Start(std::move(*request_.mutable_start()), entry);
  DropRequest();
  return error;
}

void CheckStream::DropRequest() {
  // Clear would keep the memory.
  v1::CheckTrajectoryRequest().Swap(&request_);
}

void CheckStream::Step() {
  std::optional<Error> error;
  try {
    if (!record_.cancelled()) error = job_->Step();
  } catch (...) {
    error = FaultOfTheServer();
  }
  Lock lock(mutex_);
  stepping_ = false;
  if (error) {
    EndWith(*std::move(error));
  } else {
    done_ = job_->rows_checked();
    if (job_->verdict() != nullptr) {
      phase_ = Phase::kAnswering;
      CountSamples(done_);
    }
  }
  Advance(std::move(lock));
}

std::optional<Error> CheckStream::Work() {
  try {
    context_.background.Submit([this] { Step(); }, record_.host());
    return std::nullopt;
  } catch (...) {
    const Lock lock(mutex_);
    stepping_ = false;
    return FaultOfTheServer();
  }
}

bool CheckStream::NextReply() {
  v1::CheckTrajectoryReply reply;
  if (phase_ == Phase::kChecking) {
    if (done_ == told_) return false;
    told_ = done_;
    reply.mutable_progress()->set_samples_done(
        static_cast<std::uint64_t>(done_));
    reply.mutable_progress()->set_samples(
        static_cast<std::uint64_t>(job_->rows()));
    SerializeMessage(reply, &outgoing_);
    return true;
  }
  if (phase_ != Phase::kAnswering) return false;
  if (!verdict_sent_) {
    verdict_sent_ = true;
    *reply.mutable_verdict() = *job_->verdict();
    SerializeMessage(reply, &outgoing_);
    return true;
  }
  if (job_->all_rows_filled()) return false;
  if (auto error = job_->FillNext(reply.mutable_rows())) {
    EndWith(*std::move(error));
    return false;
  }
  SerializeMessage(reply, &outgoing_);
  return true;
}

void CheckStream::Conclude() {
  if (phase_ == Phase::kReading && !handling_) {
    if (input_ended_ && !job_->started()) {
      EndWith(WrongMessage("start", "The stream ended before its start."));
    } else if (draining_ && !input_ended_) {
      EndWith(Draining());
    }
  } else if (phase_ == Phase::kAnswering && !writing_ && verdict_sent_ &&
             job_->all_rows_filled()) {
    Succeed();
  }
}

StreamCall::Steps CheckStream::NextSteps() {
  if (phase_ == Phase::kReading && input_ended_ && !handling_) {
    phase_ = Phase::kChecking;
  }
  Steps steps;
  if (phase_ == Phase::kReading && !reading_ && !handling_ && !draining_) {
    steps.read = &incoming_;
  }
  if (!writing_ && NextReply()) steps.write = &outgoing_;
  steps.work = phase_ == Phase::kChecking && !stepping_ && !ending();
  stepping_ = stepping_ || steps.work;
  return steps;
}

void CheckStream::DescribeEnd(Error* /*error*/) {
  record_.set_volume({.chunks = 0, .rows = job_->rows()});
}

}  // namespace torqued::server
