// Certificates of TLS, which are replaced while the server runs.
#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "server/config/settings.h"

namespace torqued::server {

/// Of a client that verifies nothing. `own`: its certificate and key; empty:
/// none.
std::shared_ptr<grpc::ChannelCredentials> UnverifiedCredentials(
    const std::string& own);

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
  /// The server's certificate and key, with which it asks for its own health;
  /// null if the client CA does not vouch for them.
  std::shared_ptr<const std::string> own() const { return own_.load(); }

  /// Reloads that were refused.
  std::int64_t failures() const { return failures_.load(); }
  /// When the certificate in use expires, seconds since 1970.
  std::int64_t expires() const { return expires_.load(); }

 private:
  /// Throws what is wrong with the files; true: they have changed.
  bool Use();

  const TlsFiles files_;
  /// That goes with the copies in it.
  const std::shared_ptr<const std::string> directory_;
  std::string seen_;     // what the files held when they were last read
  std::string problem_;  // that was logged last
  std::atomic<std::shared_ptr<const std::string>> own_;
  std::atomic<std::int64_t> failures_{0}, expires_{0};
};

}  // namespace torqued::server
