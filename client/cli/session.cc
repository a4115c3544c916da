#include "client/cli/session.h"

#include <grpc/grpc.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <exception>
#include <filesystem>
#include <ostream>
#include <regex>
#include <thread>
#include <utility>

#include "client/cli/document.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"
#include "client/cli/terminal.h"
#include "server/flags/address.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

milliseconds Milliseconds(double seconds) {
  return milliseconds(std::llround(seconds * 1000));
}

/// A name for the model of a file: its stem, with what names may not hold
/// replaced by '_'.
std::string ModelNameOf(const fs::path& file) {
  constexpr std::size_t kMaxName = 128;
  return std::regex_replace(file.stem().string().substr(0, kMaxName),
                            std::regex("[^A-Za-z0-9.-]"), "_");
}

// nohup, for one, has it so.
bool IsIgnored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

// Sent to the watcher alone, to end it.
constexpr int kEndOfWatch = SIGUSR1;

}  // namespace

/// While it lives, SIGINT, SIGTERM and SIGHUP run `clean_up` on a thread of its
/// own and then end the process as the signal would have. Make it before any
/// other thread; they inherit that the signals are not theirs.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up) {
    sigemptyset(&signals_);
    sigaddset(&signals_, kEndOfWatch);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (!IsIgnored(signal)) sigaddset(&signals_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
    watcher_ = std::thread([this, clean_up = std::move(clean_up)] {
      int received = 0;
      sigwait(&signals_, &received);
      if (received == kEndOfWatch) return;
      clean_up();
      std::signal(received, SIG_DFL);
      // That one only: the destructor may be sending kEndOfWatch.
      sigset_t the_one;
      sigemptyset(&the_one);
      sigaddset(&the_one, received);
      pthread_sigmask(SIG_UNBLOCK, &the_one, nullptr);
      std::raise(received);
    });
  }
  ~InterruptGuard() {
    pthread_kill(watcher_.native_handle(), kEndOfWatch);
    watcher_.join();
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  sigset_t signals_{};
  sigset_t mask_before_{};
  std::thread watcher_;
};

Session::Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err,
                 std::ostream& data)
    : flags_(flags), out_(out), err_(err), data_(data) {
  if (flags.spawn && !flags.server.empty()) {
    throw UsageError("--spawn", "a server address is given as well");
  }
  if (!is_local() && (!flags.store.empty() || !flags.models_dirs.empty())) {
    throw UsageError(flags.store.empty() ? "--models-dir" : "--store",
                     "only a local server takes it, and an address is given");
  }
  const client::ConnectOptions& tls = flags.connect;
  if (flags::SecurityOf(flags.server) == flags::Security::kNone &&
      !(tls.tls_ca + tls.tls_cert + tls.tls_server_name).empty()) {
    throw UsageError("--server", "TLS needs an address tls:HOST:PORT");
  }
  if (is_local() && flags.wait_for_server_seconds > 0) {
    throw UsageError("--wait-for-server",
                     "no address is given; a local server is waited for within "
                     "--timeout");
  }
}

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
  options.binary = flags_.server_binary;
  options.store = flags_.store;
  options.start_timeout = Milliseconds(flags_.timeout_seconds);
  options.stop = interrupted_.get_token();
  std::vector<std::string>& arguments = options.arguments;
  for (const std::string& directory : flags_.models_dirs) {
    arguments.insert(arguments.end(), {"--models", directory});
  }
  if (validation() != v1::VALIDATION_DEFAULT) {
    const bool is_strict = validation() == v1::VALIDATION_STRICT;
    arguments.insert(arguments.end(),
                     {"--models-validation", is_strict ? "strict" : "lenient"});
  }
  std::exception_ptr failure;
  try {
    local_server_ = std::make_unique<client::LocalServer>(options);
  } catch (...) {
    failure = std::current_exception();
  }
  started_ = true;
  started_.notify_all();
  // The guard ends the process then; what went wrong is its doing.
  while (interrupted_.stop_requested()) pause();
  if (failure) std::rethrow_exception(failure);
}

void Session::EndInterrupted() {
  // What fails from now on fails for this reason.
  told_waiting_ = true;
  if (!is_local()) return;
  interrupted_.request_stop();
  started_.wait(false);
  if (local_server_) local_server_->Stop();
}

bool Session::HasModels() const {
  return !is_local() || !flags_.store.empty() || !flags_.models_dirs.empty();
}

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
              model,
              fs::is_directory(model, ignored) ? "this is a directory"
                                               : "there is no such file");
  return model;
}

v1::RegisterModelReply Session::Register(const std::string& file,
                                         v1::RegisterModelRequest request) {
  if (request.name().empty()) request.set_name(ModelNameOf(file));
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

void Session::Answer(const std::function<Json()>& json,
                     const std::function<std::string()>& csv,
                     const std::function<void(std::ostream&)>& print) {
  ClearProgress();
  if (output() == OutputFormat::kJson) out_ << ToText(json());
  if (output() == OutputFormat::kCsv) data_ << csv();
  if (output() == OutputFormat::kTable) print(out_);
}

void Session::Remark(const std::string& text) {
  if (flags_.quiet) return;
  const std::lock_guard lock(screen_);
  if (bar_) bar_->Clear();
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
  return [this, unit, start = SteadyClock::now()](std::int64_t done,
                                                  std::int64_t total) {
    const std::lock_guard lock(screen_);
    if (!bar_) {
      bar_.emplace(err_, isatty(STDERR_FILENO) == 1, unit, total, start);
    }
    bar_->Update(done, SteadyClock::now());
  };
}

void Session::ClearProgress() {
  const std::lock_guard lock(screen_);
  if (bar_) bar_->Clear();
  bar_.reset();
}

}  // namespace torqued::cli
