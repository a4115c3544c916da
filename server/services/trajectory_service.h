// torqued.v1.Trajectories over gRPC.
#pragma once

#include "server/services/service_context.h"
#include "torqued/v1/trajectory.grpc.pb.h"

namespace torqued::server {

/// Messages travel as bytes: requests are parsed by the call, which has a word
/// for bytes that are none.
class TrajectoryService final
    : public v1::Trajectories::WithRawCallbackMethod_CheckTrajectory<
          v1::Trajectories::Service> {
 public:
  explicit TrajectoryService(ServiceContext& context) : context_(context) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CheckTrajectory(
      grpc::CallbackServerContext* call) override;

 private:
  ServiceContext& context_;
};

}  // namespace torqued::server
