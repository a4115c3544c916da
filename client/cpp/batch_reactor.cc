#include "client/cpp/batch_reactor.h"

#include <utility>

namespace torqued::client {

BatchReactor::BatchReactor(ChunkedBatch& batch, Ended ended)
    : batch_(batch), ended_(std::move(ended)), request_(batch.BeginStream()) {}

void BatchReactor::Begin(v1::Dynamics::Stub& stub,
                         std::shared_ptr<grpc::ClientContext> context) {
  context_ = std::move(context);
  stub.async()->Evaluate(context_.get(), this);
  StartWrite(&request_);
  StartRead(&reply_);
  StartCall();
}

void BatchReactor::OnWriteDone(bool ok) {
  if (ok) SendMore();
}

void BatchReactor::SendMore() {
  if (!batch_.HasNextChunk()) {
    StartWritesDone();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (unanswered_ == kSendAhead) {
      waits_for_room_ = true;
      return;
    }
    ++unanswered_;
  }
  SendChunk();
}

void BatchReactor::SendChunk() {
  try {
    batch_.NextChunk(&request_);
  } catch (...) {  // no memory
    Fail();
    return;
  }
  StartWrite(&request_);
}

void BatchReactor::OnReadDone(bool ok) {
  if (!ok) return;
  try {
    batch_.Take(reply_);
  } catch (...) {
    Fail();
    return;
  }
  bool send = false;
  {
    const std::lock_guard lock(mutex_);
    // The room that this one leaves goes to the next.
    send = std::exchange(waits_for_room_, false);
    if (!send) --unanswered_;
  }
  if (send) SendChunk();
  StartRead(&reply_);
}

void BatchReactor::Fail() {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  context_->TryCancel();
}

void BatchReactor::OnDone(const grpc::Status& status) {
  const Ended ended = std::move(ended_);
  ended(status, std::move(failure_));
}

}  // namespace torqued::client
