#include "server/services/trajectory_service.h"

#include "server/services/check_stream.h"

namespace torqued::server {

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
TrajectoryService::CheckTrajectory(grpc::CallbackServerContext* call) {
  return StreamCall::Start(std::make_shared<CheckStream>(call, context_));
}

}  // namespace torqued::server
