#include "server/lifecycle/supervision.h"

#include <absl/strings/numbers.h>
#include <absl/time/time.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <future>
#include <mutex>
#include <new>
#include <utility>

#include "server/flags/address.h"
#include "server/lifecycle/transport.h"
#include "server/observability/logging.h"

namespace torqued::server {
namespace {

// On the wire these two are HealthCheckRequest for the whole server and
// HealthCheckResponse, for which there is no generated code here.
using Request = google::protobuf::Empty;
using Response = google::protobuf::Int32Value;
using Stub = grpc::TemplatedGenericStub<Request, Response>;
constexpr int kServing = 1;

// What gRPC gets to end a call whose deadline has passed.
constexpr std::chrono::milliseconds kGrace{1000};
constexpr int kMostFailures = 3, kHangs = 70;

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  return set;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// How often systemd wants to hear of this process; 0: never.
std::chrono::microseconds ManagerInterval() {
  std::int64_t interval = 0, process = 0;
  if (absl::SimpleAtoi(Variable("WATCHDOG_PID"), &process) &&
      process != getpid()) {
    return {};
  }
  static_cast<void>(absl::SimpleAtoi(Variable("WATCHDOG_USEC"), &interval));
  return std::chrono::microseconds(interval);
}

struct Call {
  grpc::ClientContext context;
  Request request;
  Response response;
};

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(
    const std::string& address, const ClientTls& tls) {
  const flags::Security security = flags::SecurityOf(address);
  if (security == flags::Security::kNone) {
    return grpc::InsecureChannelCredentials();
  }
  const std::string ca = ReadPem("--tls-ca", tls.ca);
  std::string cert = tls.pair, key = tls.pair;
  // Unverified, the server's own certificate, which is sent only if needed.
  if (cert.empty() && (tls.verifies || security == flags::Security::kMtls)) {
    cert = ReadPem("--tls-cert", tls.cert);
    key = ReadPem("--tls-key", tls.key.empty() ? tls.cert : tls.key);
  }
  if (tls.verifies) return grpc::SslCredentials({ca, key, cert});
  namespace tls_api = grpc::experimental;
  tls_api::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(
      std::make_shared<tls_api::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  if (!cert.empty()) {
    options.set_certificate_provider(
        std::make_shared<tls_api::StaticDataCertificateProvider>(
            std::vector<tls_api::IdentityKeyCertPair>{{key, cert}}));
    options.watch_identity_key_cert_pairs();
  }
  return tls_api::TlsCredentials(options);
}

}  // namespace

void BlockSignals() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int WaitForSignal(std::chrono::milliseconds at_most) {
  const sigset_t set = Signals();
  const timespec time = absl::ToTimespec(absl::FromChrono(at_most));
  return sigtimedwait(&set, nullptr, &time);
}

void TellManager(std::string_view lines) {
  const std::string path = Variable("NOTIFY_SOCKET");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  path.copy(address.sun_path, path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';
  const int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (out < 0) return;
  sendto(out, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size()));
  close(out);
}

std::jthread Watch(const std::function<std::string()>& check,
                   const std::function<void(bool)>& tell,
                   std::chrono::microseconds interval) {
  const std::chrono::microseconds heard = ManagerInterval();
  if (heard.count() > 0) interval = std::min(interval, heard / 2);
  auto look = [check, tell, heard, failures = 0]() mutable {
    std::string problem;
    try {
      problem = check();
    } catch (const std::runtime_error& error) {
      problem = error.what();
    }
    if (problem.empty()) {
      if (heard.count() > 0) TellManager("WATCHDOG=1");
      if (std::exchange(failures, 0) == 0) return;
      Log(LogLevel::kInfo, "the server answers again");
      return tell(true);
    }
    if (++failures == 1) tell(false);
    Log(LogLevel::kError, "the server does not answer",
        {{"detail", problem}, {"checks", std::int64_t{failures}}});
    if (failures < kMostFailures) return;
    WriteOutLog();
    _exit(kHangs);
  };
  return std::jthread([=](const std::stop_token& stop) mutable {
    pthread_setname_np(pthread_self(), "watchdog");
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, interval,
                             [&] { return stop.stop_requested(); })) {
      try {
        look();
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
        // The next time may find memory.
      }
    }
  });
}

std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout, bool must_serve) {
  grpc::ChannelArguments arguments;
  if (!tls.server_name.empty()) {
    arguments.SetSslTargetNameOverride(tls.server_name);
  }
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  Stub stub(
      grpc::CreateCustomChannel(std::string(flags::WithoutSecurity(address)),
                                CredentialsFor(address, tls), arguments));
  // Freed here: gRPC's thread would wait for itself to end the last channel.
  auto call = std::make_unique<Call>();
  call->context.set_deadline(std::chrono::system_clock::now() + timeout);
  const auto promise = std::make_shared<std::promise<grpc::Status>>();
  auto ended = promise->get_future();
  stub.UnaryCall(&call->context, "/grpc.health.v1.Health/Check",
                 grpc::StubOptions(), &call->request, &call->response,
                 [promise](grpc::Status status) {
                   promise->set_value(std::move(status));
                 });
  // A process that hangs ends no calls.
  if (ended.wait_for(timeout + kGrace) != std::future_status::ready) {
    std::ignore = call.release();
    return address + ": the call does not end";
  }
  const grpc::Status status = ended.get();
  if (!status.ok()) return address + ": " + status.error_message();
  const bool good = !must_serve || call->response.value() == kServing;
  return good ? "" : address + ": not serving";
}

}  // namespace torqued::server
