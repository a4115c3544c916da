// What all commands share: flags, a connection, somewhere to write.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "client/cli/flag_names.h"
#include "client/cpp/client.h"
#include "client/cpp/local_server.h"

namespace torqued::cli {

class InterruptGuard;
class ProgressBar;

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
  /// Of the command that was given.
  FlagNames flag_names = {};
};

/// Connects, or starts a local server, when a command first asks for it.
class Session {
 public:
  /// `exact`: where what must not be changed goes.
  Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err,
          std::ostream& exact);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const GlobalFlags& flags() const { return flags_; }
  OutputFormat output() const { return flags_.output; }
  v1::Validation validation() const { return flags_.validation; }
  std::ostream& out() { return out_; }
  std::ostream& err() { return err_; }
  /// For bytes that count one by one, unless a terminal shows them.
  std::ostream& exact() { return exact_; }

  /// True when this session runs its own server.
  bool is_local() const;
  const client::Client& client();

  /// Throws UsageError unless the server outlives the call, or was asked for by
  /// name: what `command` changes would be gone with the call.
  void RequireLastingServer(const std::string& command) const;

  /// A model reference as it stands; with a local server also the path of a
  /// URDF file, which is registered under the file's name, in a temporary
  /// store: call it before client(). Tells of its warnings on stderr, and of
  /// all findings where it is refused. Throws DataError for what looks like a
  /// file and is neither file nor model.
  std::string ResolveModel(const std::string& model);

  /// A remark on stderr, unless quiet. The shown progress gives way to it.
  /// From any thread.
  void Remark(const std::string& text);
  /// Remarks which columns of a file were not used.
  void RemarkUnused(const std::string& file,
                    const std::vector<std::string>& columns);
  /// Held by whoever draws on stderr beside remarks.
  std::unique_lock<std::mutex> LockScreen() {
    return std::unique_lock(screen_);
  }
  /// What Remark gives way to, while it lives; null: nothing. The screen is
  /// locked.
  void set_progress(ProgressBar* progress) { progress_ = progress; }
  /// What to remark first when the user interrupts, while `words` is set; it is
  /// called on a thread of its own, and not any more once this returns. Empty:
  /// nothing.
  void set_last_words(std::function<std::string()> words);
  /// Remarks, once, that a call waits for another try after this failure.
  /// From any thread.
  void RemarkWaiting(const client::Error& error);

 private:
  std::string RegisterFile(const std::string& path);
  /// Throws DataError where `model` leads nowhere and looks like a file.
  void RequireModel(const std::string& model);
  void StartLocalServer();
  /// What the guard does, on a thread of its own.
  void EndInterrupted();
  void StopLocalServer();

  GlobalFlags flags_;
  std::ostream& out_;
  std::ostream& err_;
  std::ostream& exact_;
  ProgressBar* progress_ = nullptr;
  std::atomic<bool> told_waiting_ = false;
  std::mutex screen_;
  std::mutex last_words_mutex_;  // guards last_words_
  std::function<std::string()> last_words_;
  // The guard stops the server when the user interrupts, so it ends first.
  std::unique_ptr<client::LocalServer> local_server_;
  std::stop_source interrupted_;
  std::atomic<bool> started_ = false;  // or failed to
  std::unique_ptr<InterruptGuard> interrupt_guard_;
  std::unique_ptr<client::Client> client_;
};

/// A name for the model of a file: its stem, with what names may not hold
/// replaced by '_'.
std::string ModelNameOf(const std::filesystem::path& file);

}  // namespace torqued::cli
