#include "tests/client/fake_replies.h"

#include <thread>

#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/errors.pb.h"

namespace torqued::client {

grpc::Status AnswerWithQ(const v1::ComputeRequest& request,
                         v1::ComputeReply& reply) {
  *reply.mutable_results()->mutable_tau() = request.q();
  reply.set_rows(request.q().f64().size() / 8 / request.q().columns());
  return grpc::Status::OK;
}

grpc::Status Failure(grpc::StatusCode code, const std::string& reason,
                     std::chrono::milliseconds retry_delay,
                     const std::map<std::string, std::string>& metadata) {
  v1::Status details;
  details.set_code(code);
  v1::ErrorInfo info;
  info.set_reason(reason);
  info.mutable_metadata()->insert(metadata.begin(), metadata.end());
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  any->set_value(info.SerializeAsString());
  if (retry_delay.count() > 0) {
    v1::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(retry_delay.count() / 1000);
    retry.mutable_retry_delay()->set_nanos(
        static_cast<int>(retry_delay.count() % 1000 * 1'000'000));
    any = details.add_details();
    any->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
    any->set_value(retry.SerializeAsString());
  }
  return {code, "a sentence", details.SerializeAsString()};
}

grpc::Status Hang(grpc::ServerContext& context) {
  while (!context.IsCancelled()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return grpc::Status::CANCELLED;
}

}  // namespace torqued::client
