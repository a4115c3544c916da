// Error to grpc::Status with machine-readable details.
#pragma once

#include <grpcpp/support/status.h>

#include <cstddef>

#include "server/errors/error.h"

namespace torqued::server {

/// The gRPC status code that a reason always comes with.
grpc::StatusCode CodeOf(v1::Reason reason);

/// Size that the serialized details stay below: trailers of over 8 KB lose the
/// error itself, and binary trailers travel in base64.
inline constexpr std::size_t kMaxDetailsBytes = 4096;

/// Code, sentence and `grpc-status-details-bin` (v1.Status with ErrorInfo,
/// BadRequest, RetryInfo). The first violations that fit are listed; when some
/// are left out, metadata "violations" holds their total.
grpc::Status ToStatus(const Error& error);

}  // namespace torqued::server
