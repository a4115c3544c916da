#include "client/cli/session.h"

#include <grpc/grpc.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>

#include "client/cli/document.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

milliseconds Milliseconds(double seconds) {
  return milliseconds(std::llround(seconds * 1000));
}

}  // namespace

/// While it lives, SIGINT, SIGTERM and SIGHUP run `clean_up` on a thread of its
/// own and then end the process. Make it before any other thread.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, kEndOfWatch);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action{};
      sigaction(signal, nullptr, &action);
      // nohup, for one, has it ignored.
      if (action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    watcher_ = std::thread([signals, clean_up = std::move(clean_up)]() mutable {
      int received = 0;
      sigwait(&signals, &received);
      if (received == kEndOfWatch) return;
      clean_up();
      // The destructor may be sending it.
      sigdelset(&signals, kEndOfWatch);
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      std::raise(received);
    });
  }
  /// Does not return if a signal has been received.
  ~InterruptGuard() {
    pthread_kill(watcher_.native_handle(), kEndOfWatch);
    watcher_.join();
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  /// Sent to the watcher alone.
  static constexpr int kEndOfWatch = SIGUSR1;
  std::thread watcher_;
};

Session::Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err)
    : flags_(flags), out_(out), err_(err) {}

Session::~Session() { ClearProgress(); }

const client::Client& Session::client() {
  if (client_) return *client_;

  // Before any thread starts, so that all of them leave signals to the guard.
  interrupt_guard_ =
      std::make_unique<InterruptGuard>([this] { EndInterrupted(); });
  // Never given back: the clean-up of gRPC's own threads, which would follow
  // the last connection, now and then takes ten seconds.
  grpc_init();
  if (is_local()) StartLocalServer();
  client::ConnectOptions options = flags_.connect;
  options.deadline = Milliseconds(flags_.timeout_seconds);
  options.wait_for_server = Milliseconds(flags_.wait_for_server_seconds);
  options.waiting = [this](const client::Error& error,
                           std::chrono::nanoseconds /*delay*/) {
    RemarkWaiting(error);
  };
  client_ = std::make_unique<client::Client>(client::Client::Connect(
      is_local() ? local_server_->address() : flags_.server, options));
  return *client_;
}

void Session::StartLocalServer() {
  client::LocalServerOptions options;
  options.store = flags_.store;
  options.start_timeout = Milliseconds(flags_.timeout_seconds);
  options.stop = interrupted_.get_token();
  const std::lock_guard lock(starting_);
  local_server_ = std::make_unique<client::LocalServer>(options);
}

void Session::EndInterrupted() {
  // Later failures have this reason.
  told_waiting_ = true;
  interrupted_.request_stop();
  const std::lock_guard lock(starting_);
  if (local_server_) local_server_->Stop();
}

bool Session::HasModels() const { return !is_local() || !flags_.store.empty(); }

void Session::RequireLastingServer(const std::string& command) const {
  if (HasModels() || flags_.spawn) return;
  throw UsageError("--server", command,
                   " needs a server: give --server ADDR or set "
                   "$TORQUED_SERVER_ADDRESS; or name the --store of a local "
                   "one");
}

std::string Session::ResolveModel(const std::string& model) {
  std::error_code ignored;
  const bool has_slash = model.find('/') != std::string::npos;
  if (fs::is_regular_file(model, ignored)) {
    if (is_local()) {
      // The user's store stays as it is: a temporary one takes the file.
      flags_.store.clear();
      const v1::ModelInfo info = Register(model, {}).model();
      const auto warnings = info.report().warnings();
      if (warnings > 0) {
        Remark(Cat(model, ": ", warnings,
                   " warnings; `torquectl models validate` shows them"));
      }
      return info.name();
    }
    if (!has_slash) return model;
    throw UsageError("--model", model,
                     " is a file: register it with `torquectl models add` "
                     "first, or leave out the server");
  }
  // No reference has a slash, and a server without models none of the endings.
  static const std::regex kEnding(R"(\.(urdf|xml|xacro)$)", std::regex::icase);
  RequireData(!has_slash && (HasModels() || !std::regex_search(model, kEnding)),
              model, "there is no such file");
  return model;
}

v1::RegisterModelReply Session::Register(const std::string& file,
                                         v1::RegisterModelRequest request) {
  if (request.name().empty()) {
    // A name has at most 128 of these characters.
    request.set_name(
        std::regex_replace(fs::path(file).stem().string().substr(0, 128),
                           std::regex("[^A-Za-z0-9.-]"), "_"));
  }
  request.set_source(ReadFile(file));
  request.mutable_options()->set_validation(validation());
  try {
    return client().RegisterModel(request);
  } catch (const client::Error& error) {
    if (error.reason() != v1::INVALID_MODEL) throw;
    // The error does not hold the report.
    v1::ValidateModelRequest dry_run;
    dry_run.set_source(request.source());
    *dry_run.mutable_options() = request.options();
    const v1::LintReport report = client().ValidateModel(dry_run).report();
    err_ << "torquectl: INVALID_MODEL (" << PlainText(file)
         << "): " << PlainText(error.what()) << "\n";
    PrintReport(report, file, err_);
    throw AlreadyTold();
  }
}

void Session::WriteData(const std::string& data) {
  out_ << (isatty(STDOUT_FILENO) == 1 ? PlainLines(data) : data);
}

void Session::Answer(const std::function<Json()>& json,
                     const std::function<std::string()>& csv,
                     const std::function<void(std::ostream&)>& print) {
  ClearProgress();
  if (output() == OutputFormat::kCsv) return WriteData(csv());
  std::ostringstream text;
  output() == OutputFormat::kJson ? void(text << ToText(json())) : print(text);
  out_ << PlainLines(text.view());
}

void Session::Remark(const std::string& text) {
  if (flags_.quiet) return;
  const std::lock_guard lock(screen_);
  ClearProgress();
  err_ << "torquectl: " << PlainLines(text) << std::endl;
}

void Session::RemarkUnused(const std::string& file,
                           const std::vector<std::string>& columns) {
  if (columns.empty()) return;
  Remark(file + ": not used: " + PlainText(Joined(columns), 1000));
}

void Session::RemarkWaiting(const client::Error& error) {
  // A local server ends when the user interrupts, maybe before this program's
  // own guard notices. It does not come back, so the remark would mislead.
  if (is_local() && error.code() == grpc::StatusCode::UNAVAILABLE) return;
  if (told_waiting_.exchange(true)) return;
  Remark("waiting to try again, within the timeout of " +
         DurationText(flags_.timeout_seconds) + ": " + ErrorLine(error));
}

client::Progress Session::ShowProgress(const std::string& unit) {
  if (flags_.quiet) return [](std::int64_t, std::int64_t) {};
  const auto start = SteadyClock::now();
  drawn_ = start;
  return [this, unit, start](std::int64_t done, std::int64_t total) {
    const bool is_rewritten = isatty(STDERR_FILENO) == 1;
    const auto now = SteadyClock::now();
    const std::lock_guard lock(screen_);
    if (now - drawn_ < milliseconds(is_rewritten ? 100 : 2000)) return;
    drawn_ = now;
    const std::string line = ProgressText(done, total, unit, now - start);
    if (!is_rewritten) {
      err_ << line << std::endl;
      return;
    }
    err_ << "\r" << line << "\x1b[K" << std::flush;
    shows_progress_ = true;
  };
}

void Session::ClearProgress() {
  if (shows_progress_) err_ << "\r\x1b[K" << std::flush;
  shows_progress_ = false;
}

}  // namespace torqued::cli
