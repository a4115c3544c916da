// A server of one's own, for as long as it is needed.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace torqued::client {

/// The server could not be started; the text ends with what it wrote to stderr.
class LocalServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LocalServerOptions {
  /// The torqued executable. Empty: $TORQUED_BINARY, else `torqued` next to the
  /// running executable, else on the PATH.
  std::filesystem::path binary = {};
  /// Directory of the models. Empty: a temporary store that goes with the
  /// server.
  std::filesystem::path store = {};
  /// Further command-line arguments.
  std::vector<std::string> arguments = {};
  /// Until it serves.
  std::chrono::milliseconds start_timeout{15'000};
  /// Gives up the start from another thread.
  std::stop_token stop = {};
};

/// Runs a server on a Unix socket in a directory that only this user may enter
/// (if its path is too long for a socket: on a free loopback port) and stops it
/// in the destructor. With setpriv of util-linux the server also stops when
/// this process is killed.
class LocalServer {
 public:
  /// Returns when the server serves. Throws LocalServerError.
  explicit LocalServer(const LocalServerOptions& options = {});
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  /// "unix:path" or "127.0.0.1:port".
  const std::string& address() const { return address_; }
  int pid() const { return pid_; }
  /// The end of its output to stderr.
  std::string Log() const;
  /// Ends the server, by force after `patience`, and removes its temporary
  /// files; done only once, from whichever thread.
  void Stop(std::chrono::milliseconds patience = std::chrono::seconds(10));

 private:
  bool EndsWithin(std::chrono::milliseconds time) const {
    return end_.wait_for(time) == std::future_status::ready;
  }
  /// Why it does not serve; empty: it does.
  std::string WaitUntilServing(const LocalServerOptions& options);

  std::filesystem::path directory_;
  std::string address_;
  int pid_ = -1;
  std::shared_future<std::string> end_;
  // The kernel sends the parent-death signal when the *thread* that started the
  // server ends, so one of our own does, and lives as long as the server.
  std::thread keeper_;
  std::once_flag stopped_;
};

}  // namespace torqued::client
