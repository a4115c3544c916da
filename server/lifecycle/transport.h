// Connections: accepted here, handed to gRPC, bounded in what it reads, and
// their certificates, which are replaced while the server runs.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/config/settings.h"
#include "server/flags/address.h"

namespace torqued::server {

/// The text of the file that the flag names; empty if there is no file. Throws
/// std::runtime_error if it cannot be read.
std::string ReadPem(const std::string& flag, const std::string& file);

/// A certificate in memory: gRPC gets texts of the files that belong together,
/// and no copy of the key is on a disk.
class Certificates {
 public:
  using Texts = std::array<std::string, 3>;  // certificate, key, client CA
  using Current = std::atomic<std::shared_ptr<const Texts>>;

  /// Throws std::runtime_error: what is wrong with which file.
  explicit Certificates(TlsFiles files) : files_(std::move(files)) { Use(); }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  /// Uses the files if they have changed and are good; otherwise logs once
  /// what is wrong, and those before serve on. From one thread.
  void Reload();

  /// With a client CA, clients may have, or must have, certificates of it.
  std::shared_ptr<grpc::ServerCredentials> ForServer(
      bool client_must_have_one) const;
  /// PEM of certificate and key, with which the server asks for its own health;
  /// empty if the client CA does not vouch for them, or no more.
  std::string own() const;

  std::int64_t failures() const { return failures_.load(); }
  std::int64_t expires() const { return expires_.load(); }

 private:
  /// Throws what is wrong with the files; true: they have changed.
  bool Use();
  void Check(const std::string& key);

  const TlsFiles files_;
  Current current_;      // null until the files are good
  std::string problem_;  // that was logged last
  // The last two in Unix time.
  std::atomic<std::int64_t> failures_{0}, expires_{0}, vouched_until_{0};
};

/// Sets the bounds of what gRPC reads ahead of the calls. Beyond ArrivalBytes
/// gRPC closes idle connections, then ends calls, of its own choice and without
/// details. A client that is pinged after `keepalive` has as long to answer,
/// 20 s at most. At `max_connection_age` running calls are finished.
void ConfigureTransport(const Settings& settings, grpc::ServerBuilder* builder);

/// To the hard one; what it is then.
int RaiseDescriptorLimit();

/// Replaces the listener of gRPC 1.51, which stops permanently if it gets no
/// descriptor. Connections that would take the last ones are closed.
class AcceptLoop {
 public:
  /// Descriptors that connections leave to the store, the log and the watchdog.
  static constexpr int kOtherDescriptors = 64;

  /// Listens on addresses of --listen; connections wait until Start. A name
  /// leads to all of its addresses that this machine has, with one port. A
  /// wildcard accepts both families. No other socket shares a port. The file of
  /// a dead Unix socket is replaced. Throws std::runtime_error.
  AcceptLoop(const std::vector<std::string>& addresses, int descriptor_limit);
  ~AcceptLoop() { Close(); }
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

  /// With the ports that were free.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// The address of each listener that this machine reaches without looking up
  /// a name.
  const std::vector<std::string>& own_addresses() const {
    return own_addresses_;
  }
  /// `certificates`: null if no address has TLS. Outlives this.
  void RegisterWith(grpc::ServerBuilder* builder,
                    const Certificates* certificates);
  void Start();
  /// Listens no more: the system refuses who connects.
  void Close();

  /// Connections that were closed at once, for the limit of descriptors.
  std::int64_t refused() const { return refused_.load(); }
  /// Whether a client has yet to take what was sent.
  bool Unsent() const;
  /// Once it is closed. Clients see UNAVAILABLE; of connections that a server
  /// has open when it shuts down they may see CANCELLED.
  void ShutDownConnections() const;

 private:
  struct Listener {
    int descriptor;
    flags::Security security;
    std::string file;  // of a Unix socket
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
        nullptr;
  };

  explicit AcceptLoop(int most) : most_(most) {}

  std::string Listen(const std::string& address);
  void Run();
  void Accept(const Listener& listener);
  void LogRefusal(const std::string& why);
  std::vector<int> Connections() const;

  const int most_;  // number of a connection's descriptor
  std::vector<Listener> listeners_;
  std::vector<std::string> addresses_, own_addresses_;
  std::set<std::string> local_;  // names of the listening sockets
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
