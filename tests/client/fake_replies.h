// What a FakeServer answers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <map>
#include <string>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::client {

/// tau = q.
grpc::Status AnswerWithQ(const v1::ComputeRequest& request,
                         v1::ComputeReply& reply);

/// A failure with the details that the service gives. No delay: none is asked
/// for.
grpc::Status Failure(grpc::StatusCode code, const std::string& reason,
                     std::chrono::milliseconds retry_delay = {},
                     const std::map<std::string, std::string>& metadata = {});

/// Returns when the client has given up, which the test waits for.
grpc::Status Hang(grpc::ServerContext& context);

}  // namespace torqued::client
