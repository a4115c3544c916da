#pragma once

#include <grpcpp/server_builder.h>

namespace torqued::server {

/// Bounds what the transport takes in ahead of the calls: per stream 64 KiB and
/// the message being read, of that at most 1 MiB. So much, and no more, can a
/// client send in one round-trip time of the network.
void TuneTransport(grpc::ServerBuilder* builder);

}  // namespace torqued::server
