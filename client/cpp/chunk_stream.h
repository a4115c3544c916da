// One call of Evaluate, as a batch needs it.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <memory>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::client {

/// Blocking. One thread may send while another receives.
class ChunkStream {
 public:
  virtual ~ChunkStream() = default;

  /// False when the stream has come to its end, which Receive explains.
  virtual bool Send(const v1::EvaluateRequest& request) = 0;
  virtual void EndSending() = 0;
  /// False when nothing more comes. The reply's memory may be that of one
  /// before.
  virtual bool Receive(v1::EvaluateReply* reply) = 0;
  /// Makes the others return soon. From any thread.
  virtual void Cancel() = 0;
  /// How the call went; once, after Receive has returned false.
  virtual grpc::Status End() = 0;
};

using OpenStream = std::function<std::unique_ptr<ChunkStream>()>;

}  // namespace torqued::client
