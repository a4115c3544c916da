#include "client/cli/session.h"

#include <grpc/grpc.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <exception>
#include <ostream>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/interrupt_guard.h"
#include "client/cli/model_refusal.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/progress_bar.h"
#include "server/flags/address.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kMaxName = 128;

milliseconds Milliseconds(double seconds) {
  return milliseconds(std::llround(seconds * 1000));
}

milliseconds Timeout(const GlobalFlags& flags) {
  return Milliseconds(flags.timeout_seconds);
}

/// As files of robots have.
bool HasSuffixOfModels(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return suffix == ".urdf" || suffix == ".xml" || suffix == ".xacro";
}

}  // namespace

Session::Session(const GlobalFlags& flags, std::ostream& out, std::ostream& err,
                 std::ostream& exact)
    : flags_(flags), out_(out), err_(err), exact_(exact) {
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

Session::~Session() = default;

bool Session::is_local() const { return flags_.server.empty(); }

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
  options.deadline = Timeout(flags_);
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
  options.start_timeout = Timeout(flags_);
  options.stop = interrupted_.get_token();
  for (const std::string& directory : flags_.models_dirs) {
    options.arguments.insert(options.arguments.end(), {"--models", directory});
  }
  if (validation() != v1::VALIDATION_DEFAULT) {
    options.arguments.insert(
        options.arguments.end(),
        {"--models-validation",
         validation() == v1::VALIDATION_STRICT ? "strict" : "lenient"});
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
  {
    const std::lock_guard lock(last_words_mutex_);
    if (last_words_) Remark(last_words_());
  }
  if (is_local()) StopLocalServer();
}

void Session::StopLocalServer() {
  interrupted_.request_stop();
  started_.wait(false);
  if (local_server_) local_server_->Stop();
}

void Session::RequireLastingServer(const std::string& command) const {
  if (!is_local() || flags_.spawn || !flags_.store.empty() ||
      !flags_.models_dirs.empty()) {
    return;
  }
  throw UsageError("--server",
                   command +
                       " needs a server: give --server ADDR or set "
                       "$TORQUED_SERVER_ADDRESS; or name the --store of a "
                       "local one");
}

std::string Session::ResolveModel(const std::string& model) {
  std::error_code ignored;
  const bool has_slash = model.find('/') != std::string::npos;
  if (fs::is_regular_file(model, ignored)) {
    if (is_local()) {
      // The user's store stays as it is: a temporary one takes the file.
      flags_.store.clear();
      return RegisterFile(model);
    }
    if (has_slash) {
      throw UsageError("--model",
                       model +
                           " is a file: register it with `torquectl models "
                           "add` first, or leave out the server");
    }
    return model;
  }
  // No reference has one.
  if (has_slash) {
    throw DataError(model, fs::is_directory(model, ignored)
                               ? "this is a directory"
                               : "there is no such file");
  }
  RequireModel(model);
  return model;
}

void Session::RequireModel(const std::string& model) {
  std::error_code ignored;
  const bool known_suffix = HasSuffixOfModels(model);
  const std::string file = model + ".urdf";
  const bool is_near = is_local() && fs::is_regular_file(file, ignored);
  if (!known_suffix && !is_near) return;
  try {
    client().GetModel(model);
  } catch (const client::Error& error) {
    if (error.reason() != v1::MODEL_NOT_FOUND) throw;
    throw DataError(model, (is_near ? "there is no such file, but " + file
                                    : "there is no such file") +
                               "; as the name of a model: " + error.what());
  }
}

std::string Session::RegisterFile(const std::string& path) {
  v1::RegisterModelRequest request;
  request.set_name(ModelNameOf(path));
  request.set_source(ReadFile(path));
  request.mutable_options()->set_validation(validation());
  v1::ModelInfo info;
  try {
    info = client().RegisterModel(request).model();
  } catch (const client::Error& error) {
    TellRefusal(error, request, path, client(), err_);
    throw;
  }
  if (info.report().warnings() > 0) {
    Remark(path + ": " + std::to_string(info.report().warnings()) +
           " warnings; `torquectl models validate` shows them");
  }
  return info.name();
}

void Session::Remark(const std::string& text) {
  if (flags_.quiet) return;
  const auto lock = LockScreen();
  if (progress_ != nullptr) progress_->Clear();
  err_ << "torquectl: " << PlainLines(text) << std::endl;
}

void Session::RemarkUnused(const std::string& file,
                           const std::vector<std::string>& columns) {
  if (columns.empty()) return;
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t k = 0; k < columns.size() && k <= kShown; ++k) {
    names += (k == 0 ? "" : ", ") +
             (k == kShown ? "..." : PlainText(columns[k], 128));
  }
  Remark(file + ": not used: " + names);
}

void Session::set_last_words(std::function<std::string()> words) {
  const std::lock_guard lock(last_words_mutex_);
  last_words_ = std::move(words);
}

void Session::RemarkWaiting(const client::Error& error) {
  // A local server ends when the user interrupts, maybe before this program's
  // own guard notices. It does not come back, so the remark would mislead.
  if (is_local() && error.code() == grpc::StatusCode::UNAVAILABLE) return;
  if (told_waiting_.exchange(true)) return;
  const std::string& reason = error.details().reason;
  Remark("waiting to try again, within the timeout of " +
         DurationText(flags_.timeout_seconds) + ": " +
         (reason.empty() ? client::ToString(error.code()) : PlainText(reason)) +
         ": " + PlainText(error.what()));
}

std::string ModelNameOf(const fs::path& file) {
  std::string name = file.stem().string().substr(0, kMaxName);
  for (char& c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                         c == '.' || c == '_' || c == '-';
    if (!allowed) c = '_';
  }
  return name;
}

}  // namespace torqued::cli
