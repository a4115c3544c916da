// The ports of a server that are slots for connections.
#pragma once

#include <grpcpp/server_builder.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "server/connections/connection_slot.h"

namespace grpc_core {
class TcpServerFdHandler;
}

namespace torqued::server {

/// gRPC's part of each slot: a port that listens nowhere and takes descriptors.
/// Does what grpc::experimental::ExternalConnectionAcceptor does for one port.
/// A thousand of those would stand in the arguments of the server, which gRPC
/// copies several times for every connection: one took 17 ms to make instead of
/// 0.1.
class SlotPorts {
 public:
  explicit SlotPorts(std::vector<std::shared_ptr<ConnectionSlot>> slots);
  ~SlotPorts();
  SlotPorts(const SlotPorts&) = delete;
  SlotPorts& operator=(const SlotPorts&) = delete;

  /// To be called once. Must outlive the server.
  void RegisterWith(grpc::ServerBuilder* builder);

  /// Makes gRPC the owner of a descriptor, which is not blocking. The server
  /// has been started, and is not being shut down.
  void Give(std::size_t slot, int descriptor);

 private:
  class Credentials;
  class Option;

  std::vector<std::shared_ptr<ConnectionSlot>> slots_;
  // Where gRPC puts the handler of the port that it adds.
  grpc_core::TcpServerFdHandler* added_ = nullptr;
  std::vector<grpc_core::TcpServerFdHandler*> handlers_;  // gRPC's
};

}  // namespace torqued::server
