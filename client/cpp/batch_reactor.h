// One stream of a batch, driven by gRPC's threads.
#pragma once

#include <grpcpp/grpcpp.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "client/cpp/chunked_batch.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::client {

class BatchReactor final
    : public grpc::ClientBidiReactor<v1::EvaluateRequest, v1::EvaluateReply> {
 public:
  /// How the stream ended, and what went wrong at this end, if anything did.
  /// May destroy this.
  using Ended = std::function<void(const grpc::Status& status,
                                   std::exception_ptr failure)>;

  BatchReactor(ChunkedBatch& batch, Ended ended);

  void Begin(v1::Dynamics::Stub& stub,
             std::shared_ptr<grpc::ClientContext> context);

 private:
  void OnWriteDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  /// The next chunk, where there is room for one; or the end.
  void SendMore();
  void SendChunk();
  void Fail();

  ChunkedBatch& batch_;
  Ended ended_;
  std::shared_ptr<grpc::ClientContext> context_;
  v1::EvaluateRequest request_;  // of whoever may write
  v1::EvaluateReply reply_;

  std::mutex mutex_;
  int unanswered_ = 0;
  bool waits_for_room_ = false;  // nothing is being written
  std::exception_ptr failure_;
};

}  // namespace torqued::client
