// Connections: accepted here, handed to gRPC, and bounded in what it reads.
#pragma once

#include <grpcpp/server_builder.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/config/settings.h"
#include "server/flags/address.h"
#include "server/lifecycle/certificates.h"

namespace torqued::server {

/// Sets the bounds of what gRPC reads ahead of the calls. Beyond ArrivalBytes
/// gRPC closes idle connections, then ends calls, of its own choice and without
/// details. A client that is pinged after `keepalive` has as long to answer,
/// 20 s at most. At `max_connection_age` calls under way are finished.
void ConfigureTransport(const Settings& settings, grpc::ServerBuilder* builder);

/// Raises the soft limit of descriptors to the hard one; what it is then.
int RaiseDescriptorLimit();

/// Stands in for the listener of gRPC 1.51, which stops for good at the first
/// connection for which there is no descriptor. Connections that would take the
/// last descriptors are closed.
class AcceptLoop {
 public:
  /// What connections leave to the store, the log and the watchdog.
  static constexpr int kOtherDescriptors = 64;

  /// Listens on addresses of --listen; connections wait until Start. A name
  /// leads to all of its addresses that this machine has, with one port. A
  /// wildcard accepts both families. No other socket shares a port. The file of
  /// a Unix socket on which nobody answers is replaced. Throws
  /// std::runtime_error.
  AcceptLoop(const std::vector<std::string>& addresses, int descriptor_limit);
  ~AcceptLoop() { Close(); }
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

  /// As they were given, with the ports that were free.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// `certificates`: null if no address has TLS. Outlives this.
  void RegisterWith(grpc::ServerBuilder* builder,
                    const Certificates* certificates);
  /// gRPC serves now.
  void Start();
  /// Listens no more: the system refuses who connects.
  void Close();

  /// Connections that were closed at once, for the limit of descriptors.
  std::int64_t refused() const { return refused_.load(); }
  /// Whether a client has yet to take what was sent to it.
  bool Unsent() const;
  /// Shuts down all connections, once it is closed. Their clients see
  /// UNAVAILABLE; those that a server has open when it shuts down may see
  /// CANCELLED.
  void ShutDownConnections() const;

 private:
  struct Listener {
    int descriptor;
    flags::Security security;
    std::string file;  // of a Unix socket
  };

  explicit AcceptLoop(int most) : most_(most) {}

  /// The address with the port that was free.
  std::string Listen(const std::string& address);
  void Run();
  void Accept(const Listener& listener);
  void LogRefusal(const std::string& why);
  std::vector<int> Connections() const;

  const int most_;  // number of a connection's descriptor
  std::vector<Listener> listeners_;
  std::vector<std::string> addresses_;
  std::set<std::string> local_;  // names of the listening sockets
  /// By Security.
  std::array<std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>, 3>
      acceptors_;
  std::thread thread_;
  int wake_ = -1;
  std::atomic<int> largest_{0};  // number that a connection had
  std::atomic<std::int64_t> refused_{0};
  std::chrono::steady_clock::time_point next_line_;  // about refused ones
};

/// Tells scripts where the server listens, one address a line. Readers see the
/// whole file or none of it. Throws std::runtime_error.
void WriteAddressFile(const std::string& path,
                      const std::vector<std::string>& addresses);

}  // namespace torqued::server
