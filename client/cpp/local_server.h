// A server of one's own, for as long as it is needed.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace torqued::client {

/// The server could not be started; the text ends with what it wrote to stderr.
class LocalServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LocalServerOptions {
  /// The torqued executable. Empty: $TORQUED_SERVER, else `torqued` next to the
  /// running executable, else on the PATH.
  std::filesystem::path binary = {};
  /// Where models are kept. Empty: a temporary store that goes with the server.
  std::filesystem::path store = {};
  /// Further command-line arguments.
  std::vector<std::string> arguments = {};
  /// Until it serves.
  std::chrono::milliseconds start_timeout{15'000};
  /// Gives up the start from another thread.
  std::stop_token stop = {};
  /// From SIGTERM to SIGKILL.
  std::chrono::milliseconds stop_timeout{10'000};
};

/// Runs a server on a Unix socket in a directory that only this user may enter
/// (if its path is too long for a socket: on a free loopback port) and stops it
/// in the destructor. The server also stops when this process dies, however it
/// dies.
class LocalServer {
 public:
  /// Returns when the server serves. Throws LocalServerError.
  explicit LocalServer(const LocalServerOptions& options = {});
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  /// "unix:path" or "127.0.0.1:port".
  const std::string& address() const { return address_; }
  int pid() const;
  /// What it wrote to stderr so far (the end of it).
  std::string Log() const;
  /// Ends the server and removes its temporary files; done only once, from
  /// whichever thread.
  void Stop();

 private:
  struct Process;

  /// Why it does not serve; empty: it does.
  std::string WaitUntilServing(const LocalServerOptions& options);

  std::chrono::milliseconds stop_timeout_;
  std::filesystem::path directory_;
  std::unique_ptr<Process> process_;
  std::string address_;
};

/// Where the default of LocalServerOptions::binary leads. Throws
/// LocalServerError when there is no such file.
std::filesystem::path FindServerBinary();

}  // namespace torqued::client
