// Connections: accepted here, handed to gRPC, bounded in what it reads, and
// their certificates, which are replaced while the server runs.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

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

/// gRPC reads copies of the files, which are made once a change is checked. So
/// files that do not belong together are never in use.
class Certificates {
 public:
  /// Throws std::exception: what is wrong with which file.
  explicit Certificates(TlsFiles files);
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  /// Uses the files if they have changed and are good; otherwise logs once
  /// what is wrong, and those before serve on. From one thread.
  void Reload();

  /// With a client CA, clients may have certificates of it, or must.
  std::shared_ptr<grpc::ServerCredentials> ForServer(
      bool client_must_have_one) const;
  /// File of the server's certificate and key, with which it asks for its own
  /// health; empty if the client CA does not vouch for them.
  std::string own() const {
    return vouched_ ? *directory_ + "/server.pem" : "";
  }

  std::int64_t failures() const { return failures_.load(); }
  std::int64_t expires() const { return expires_.load(); }

 private:
  /// Throws what is wrong with the files; true: they have changed.
  bool Use();
  void Check(const std::string& pair, const std::string& ca);

  const TlsFiles files_;
  const std::shared_ptr<const std::string> directory_;
  /// What the files held when they were last read: a pair, and a CA.
  std::pair<std::string, std::string> seen_;
  std::string problem_;  // that was logged last
  std::atomic<bool> vouched_{false};
  std::atomic<std::int64_t> failures_{0}, expires_{0};
};

/// Sets the bounds of what gRPC reads ahead of the calls. Beyond ArrivalBytes
/// gRPC closes idle connections, then ends calls, of its own choice and without
/// details. A client that is pinged after `keepalive` has as long to answer,
/// 20 s at most. At `max_connection_age` calls under way are finished.
void ConfigureTransport(const Settings& settings, grpc::ServerBuilder* builder);

/// To the hard one; what it is then.
int RaiseDescriptorLimit();

/// Stands in for the listener of gRPC 1.51, which stops for good where it finds
/// no descriptor. Connections that would take the last ones are closed.
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

  /// With the ports that were free.
  const std::vector<std::string>& addresses() const { return addresses_; }
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
  std::vector<std::string> addresses_;
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
