// Accepts connections and hands them to gRPC.
#pragma once

#include <grpcpp/server_builder.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "server/flags/address.h"
#include "server/lifecycle/certificates.h"

namespace torqued::server {

/// Owns a listening descriptor, and the file of a Unix socket.
class ListeningSocket {
 public:
  ListeningSocket(int descriptor, std::string file)
      : descriptor_(descriptor), file_(std::move(file)) {}
  /// Removes the file first: a server that starts meanwhile finds no file that
  /// it could replace by its own.
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        file_(std::move(other.file_)) {}
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string file_;
};

/// What an address of --listen leads to.
struct BoundAddress {
  std::string text;  // as it was given, with the port that was free
  flags::Security security = flags::Security::kNone;
  std::vector<ListeningSocket> sockets;
};

/// Raises the soft limit of descriptors to the hard one; what it is then.
int RaiseDescriptorLimit();

/// Stands in for the listener of gRPC 1.51, which stops for good at the first
/// connection for which there is no descriptor. Connections that would take the
/// last descriptors are closed.
class AcceptLoop {
 public:
  /// What connections leave to the store, the log and the watchdog.
  static constexpr int kOtherDescriptors = 64;

  /// Listens, or says which address it cannot listen on and why. Connections
  /// wait until Start.
  static std::variant<std::unique_ptr<AcceptLoop>, std::string> Open(
      const std::vector<std::string>& addresses, int descriptor_limit);
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
  /// Whether a TCP client has yet to take what was sent to it.
  bool Unsent() const;
  /// Shuts down all connections, once it is closed. Their clients see
  /// UNAVAILABLE; those that a server has open when it shuts down may see
  /// CANCELLED.
  void ShutDownConnections() const;

 private:
  AcceptLoop(std::vector<BoundAddress> bound, int descriptor_limit);

  void Run();
  void Accept(int listener, flags::Security security);
  void LogRefusal(const std::string& why);
  void ForEachConnection(
      const std::function<void(int descriptor, bool tcp)>& see) const;

  const int most_;  // number of a connection's descriptor
  std::vector<BoundAddress> bound_;
  std::vector<std::string> addresses_;
  std::vector<std::string> local_;  // names of the listening sockets
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
/// whole file or none of it. Returns what went wrong, or nothing.
std::string WriteAddressFile(const std::string& path,
                             const std::vector<std::string>& addresses);

}  // namespace torqued::server
