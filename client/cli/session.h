// The parts that all commands share: flags, a connection, somewhere to write.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "client/cli/document.h"
#include "client/cpp/client.h"
#include "client/cpp/local_server.h"

namespace torqued::cli {

class InterruptGuard;

enum class OutputFormat : std::uint8_t { kTable, kJson, kCsv };

struct GlobalFlags {
  std::string server;  // address; empty: a local server
  bool spawn = false;
  std::string store;
  v1::Validation validation = v1::VALIDATION_DEFAULT;
  double timeout_seconds = 30;
  double wait_for_server_seconds = 0;
  /// TLS, token and largest message.
  client::ConnectOptions connect = {};
  OutputFormat output = OutputFormat::kTable;
  bool quiet = false;
};

/// Connects, or starts a local server, when a command first asks for it.
class Session {
 public:
  Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  OutputFormat output() const { return flags_.output; }
  v1::Validation validation() const { return flags_.validation; }

  /// True when this session runs its own server.
  bool is_local() const { return flags_.server.empty(); }
  const client::Client& client();

  /// Throws UsageError if what `command` changes would be gone with the call.
  void RequireLastingServer(const std::string& command) const;

  /// A model reference as it stands; with a local server also the path of a
  /// URDF file, which is registered in a temporary store: call it before
  /// client(). Throws DataError if the file does not exist.
  std::string ResolveModel(const std::string& model);

  /// Registers the source in `file`, under its name if the request has none.
  /// Writes all findings to stderr if the server refuses the model.
  v1::RegisterModelReply Register(const std::string& file,
                                  v1::RegisterModelRequest request);

  /// Writes bytes that count one by one: a terminal shows them as PlainLines.
  void WriteData(const std::string& data);
  /// Writes the answer in the form that the user wants.
  void Answer(const std::function<Json()>& json,
              const std::function<std::string()>& csv,
              const std::function<void(std::ostream&)>& print);
  /// The same, with these columns of `rows` as CSV.
  void Answer(const Json& json, const Members& columns, const Json& rows,
              const std::function<void(std::ostream&)>& print) {
    Answer([&] { return json; }, [&] { return CsvOf(columns, rows); }, print);
  }

  /// A remark on stderr, unless quiet. From any thread.
  void Remark(const std::string& text);
  void RemarkUnused(const std::string& file,
                    const std::vector<std::string>& columns);
  /// Remarks, once, that a call waits for another try after this failure.
  void RemarkWaiting(const client::Error& error);
  /// Shows on stderr, unless quiet, how many of `unit` ("states") are done,
  /// until the answer.
  client::Progress ShowProgress(const std::string& unit);

 private:
  /// False: only those that the call itself registers.
  bool HasModels() const;
  void StartLocalServer();
  /// The work of the guard, on a thread of its own.
  void EndInterrupted();
  void ClearProgress();

  GlobalFlags flags_;
  std::ostream& out_;
  std::ostream& err_;
  std::atomic<bool> told_waiting_ = false;
  std::mutex screen_;  // guards stderr and what follows
  bool shows_progress_ = false;
  std::chrono::steady_clock::time_point drawn_;
  // The guard stops the server when the user interrupts, so it ends first.
  std::unique_ptr<client::LocalServer> local_server_;
  std::stop_source interrupted_;
  std::mutex starting_;
  std::unique_ptr<InterruptGuard> interrupt_guard_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace torqued::cli
