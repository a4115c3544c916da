// What a FakeServer answers.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <string>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::client {

/// tau = q.
grpc::Status AnswerWithQ(const v1::ComputeRequest& request,
                         v1::ComputeReply& reply);

/// As FakeStreams does, `chunks` times and with a pause before each; then OK.
grpc::Status AnswerStream(
    grpc::ServerReaderWriter<v1::EvaluateReply, v1::EvaluateRequest>& stream,
    int chunks, std::chrono::milliseconds pause = {});

/// A failure with the details that the service gives. No delay: none is asked
/// for.
grpc::Status Failure(grpc::StatusCode code, const std::string& reason,
                     std::chrono::milliseconds retry_delay = {});

/// Returns when the client has given up, which the test waits for.
grpc::Status Hang(grpc::ServerContext& context);

}  // namespace torqued::client
