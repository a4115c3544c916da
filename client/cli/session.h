// What all commands share: flags, a connection, somewhere to write.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "client/cli/document.h"
#include "client/cli/terminal.h"
#include "client/cpp/client.h"
#include "client/cpp/local_server.h"

namespace torqued::cli {

class InterruptGuard;

enum class OutputFormat : std::uint8_t { kTable, kJson, kCsv };

struct GlobalFlags {
  std::string server;  // address; empty: a local server
  bool spawn = false;
  std::string server_binary;
  std::string store;
  std::vector<std::string> models_dirs;
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
  /// `data`: for bytes that count one by one.
  Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err,
          std::ostream& data);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  OutputFormat output() const { return flags_.output; }
  v1::Validation validation() const { return flags_.validation; }
  std::ostream& data() { return data_; }

  /// True when this session runs its own server.
  bool is_local() const { return flags_.server.empty(); }
  const client::Client& client();

  /// Throws UsageError unless the server outlives the call, or was asked for by
  /// name: what `command` changes would be gone with the call.
  void RequireLastingServer(const std::string& command) const;

  /// A model reference as it stands; with a local server also the path of a
  /// URDF file, which is registered under the file's name, in a temporary
  /// store: call it before client(). Tells of its warnings on stderr. Throws
  /// DataError for what looks like a file and is neither file nor model.
  std::string ResolveModel(const std::string& model);

  /// Registers the source in `file`, under its name if the request has none.
  /// Tells all findings on stderr if the server refuses the model.
  v1::RegisterModelReply Register(const std::string& file,
                                  v1::RegisterModelRequest request);

  /// Writes the answer in the form that the user wants.
  void Answer(const std::function<Json()>& json,
              const std::function<std::string()>& csv,
              const std::function<void(std::ostream&)>& print);

  /// A remark on stderr, unless quiet. From any thread.
  void Remark(const std::string& text);
  /// Remarks which columns of a file were not used.
  void RemarkUnused(const std::string& file,
                    const std::vector<std::string>& columns);
  /// Remarks, once, that a call waits for another try after this failure.
  /// From any thread.
  void RemarkWaiting(const client::Error& error);
  /// Shows on stderr, unless quiet, how much is done, until the answer. `unit`
  /// is what is counted: "states". The time runs from here on.
  client::Progress ShowProgress(const std::string& unit);

 private:
  /// False: only those that the call itself registers.
  bool HasModels() const;
  void StartLocalServer();
  /// What the guard does, on a thread of its own.
  void EndInterrupted();
  void ClearProgress();

  GlobalFlags flags_;
  std::ostream& out_;
  std::ostream& err_;
  std::ostream& data_;
  std::atomic<bool> told_waiting_ = false;
  std::mutex screen_;  // guards stderr and bar_
  std::optional<ProgressBar> bar_;
  // The guard stops the server when the user interrupts, so it ends first.
  std::unique_ptr<client::LocalServer> local_server_;
  std::stop_source interrupted_;
  std::atomic<bool> started_ = false;  // or failed to
  std::unique_ptr<InterruptGuard> interrupt_guard_;
  std::unique_ptr<client::Client> client_;
};

}  // namespace torqued::cli
