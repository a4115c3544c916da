#include "client/cpp/stream_batch.h"

#include <atomic>
#include <exception>
#include <semaphore>
#include <thread>

namespace torqued::client {
namespace {

// One stream of a batch.
class StreamRun {
 public:
  StreamRun(ChunkStream& stream, ChunkedBatch& batch)
      : stream_(stream), batch_(batch), request_(batch.BeginStream()) {}

  // Returns when the stream has ended. Throws Error for replies that break the
  // contract.
  grpc::Status Run() {
    std::jthread sender([this] {
      try {
        SendAll();
      } catch (...) {  // no memory
        sender_failure_ = std::current_exception();
        stream_.Cancel();
      }
    });
    try {
      v1::EvaluateReply reply;
      while (stream_.Receive(&reply)) {
        batch_.Take(reply);
        room_.release();
      }
    } catch (...) {
      stream_.Cancel();
      StopSending();
      sender.join();
      v1::EvaluateReply unread;
      while (stream_.Receive(&unread)) {
      }
      stream_.End();
      throw;
    }
    StopSending();
    sender.join();
    grpc::Status status = stream_.End();
    if (sender_failure_) std::rethrow_exception(sender_failure_);
    return status;
  }

 private:
  void SendAll() {
    bool goes_on = stream_.Send(request_);
    while (goes_on && batch_.HasNextChunk()) {
      room_.acquire();
      if (stopped_.load()) return;
      batch_.NextChunk(&request_);
      goes_on = stream_.Send(request_);
    }
    if (goes_on) stream_.EndSending();
  }

  // Nothing more will be received.
  void StopSending() {
    stopped_.store(true);
    room_.release();
  }

  ChunkStream& stream_;
  ChunkedBatch& batch_;
  v1::EvaluateRequest request_;  // the sender's
  std::exception_ptr sender_failure_;
  std::counting_semaphore<> room_{kSendAhead};
  std::atomic<bool> stopped_{false};
};

}  // namespace

Evaluation EvaluateBatch(const OpenStream& open,
                         const std::optional<RetrySchedule>& schedule,
                         const v1::EvaluateStart& start,
                         std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         std::int64_t chunk_rows) {
  ChunkedBatch batch(start, quantities, states, options, chunk_rows, schedule);
  while (true) {
    const std::unique_ptr<ChunkStream> stream = open();
    auto delay = batch.AfterEnd(StreamRun(*stream, batch).Run());
    if (!delay) return batch.TakeResult();
    // Smaller chunks need no wait.
    if (*delay == std::chrono::nanoseconds::zero()) continue;
    for (; delay; delay = batch.StillToWait()) {
      std::this_thread::sleep_for(*delay);
    }
  }
}

}  // namespace torqued::client
