#include "server/lifecycle/supervision.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <future>
#include <mutex>
#include <new>
#include <utility>

#include "server/flags/address.h"
#include "server/lifecycle/certificates.h"
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
constexpr std::chrono::milliseconds kLastLines{500};
constexpr int kMostFailures = 3, kHangs = 70;

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, number);
  }
  return set;
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// 0: not a number.
std::int64_t NumberIn(const char* name) {
  const std::string_view text = Variable(name);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Calls `work` so often on a thread that ends with what is returned.
std::jthread Repeat(const char* name, std::chrono::microseconds interval,
                    std::function<void()> work) {
  return std::jthread(
      [name, interval, work = std::move(work)](const std::stop_token& stop) {
        pthread_setname_np(pthread_self(), name);
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stopped.wait_for(lock, stop, interval,
                                 [&] { return stop.stop_requested(); })) {
          try {
            work();
          } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
            // The next time may find memory.
          }
        }
      });
}

/// A call that lives as long as gRPC works on it.
struct Call {
  grpc::ClientContext context;
  Request request;
  Response response;
  std::promise<grpc::Status> status;
};

}  // namespace

void BlockSignals() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Signal WaitForSignal(std::chrono::milliseconds at_most) {
  const sigset_t set = Signals();
  timespec time{};
  time.tv_sec = at_most.count() / 1000;
  time.tv_nsec = at_most.count() % 1000 * 1'000'000;
  const int number = sigtimedwait(&set, nullptr, &time);
  if (number <= 0) return Signal::kNone;
  if (number == SIGHUP) return Signal::kReload;
  if (number == SIGTERM || number == SIGINT) return Signal::kStop;
  Log(LogLevel::kInfo, "signal ignored",
      {{"signal", number == SIGUSR1 ? "SIGUSR1" : "SIGUSR2"},
       {"detail", "it has no meaning here"}});
  return Signal::kNone;
}

void TellManager(std::string_view lines) {
  const std::string_view path = Variable("NOTIFY_SOCKET");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  path.copy(address.sun_path, path.size());
  // An abstract address, which has no file.
  if (path.front() == '@') address.sun_path[0] = '\0';
  const int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (out < 0) return;
  sendto(out, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size()));
  close(out);
}

void TellReloading() {
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  TellManager("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

std::jthread KeepManagerContent(std::function<bool()> content) {
  const std::chrono::microseconds interval(NumberIn("WATCHDOG_USEC") / 2);
  const std::int64_t process = NumberIn("WATCHDOG_PID");
  if (interval.count() <= 0 || (process != 0 && process != getpid())) return {};
  return Repeat("keepalive", interval, [content = std::move(content)] {
    if (content()) TellManager("WATCHDOG=1");
  });
}

std::jthread Watch(std::function<std::string()> check,
                   std::function<void(bool)> tell,
                   std::chrono::milliseconds interval) {
  return Repeat(
      "watchdog", interval,
      [check = std::move(check), tell = std::move(tell),
       failures = 0]() mutable {
        const std::string problem = check();
        if (problem.empty()) {
          if (std::exchange(failures, 0) == 0) return;
          Log(LogLevel::kInfo, "the server answers again");
          return tell(true);
        }
        if (++failures == 1) tell(false);
        Log(LogLevel::kError, "the server does not answer",
            {{"detail", problem}, {"checks", std::int64_t{failures}}});
        if (failures < kMostFailures) return;
        WriteOutLog(kLastLines);
        _exit(kHangs);
      });
}

std::string AskHealth(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name, std::chrono::milliseconds timeout,
    bool must_serve) {
  grpc::ChannelArguments arguments;
  if (!server_name.empty()) arguments.SetSslTargetNameOverride(server_name);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  Stub stub(grpc::CreateCustomChannel(
      std::string(flags::WithoutSecurity(address)), credentials, arguments));
  const auto call = std::make_shared<Call>();
  call->context.set_deadline(std::chrono::system_clock::now() + timeout);
  auto ended = call->status.get_future();
  stub.UnaryCall(&call->context, "/grpc.health.v1.Health/Check",
                 grpc::StubOptions(), &call->request, &call->response,
                 [call](grpc::Status status) {
                   call->status.set_value(std::move(status));
                 });
  // A process that hangs ends no calls.
  if (ended.wait_for(timeout + kGrace) != std::future_status::ready) {
    return address + ": the call does not end";
  }
  const grpc::Status status = ended.get();
  if (!status.ok()) return address + ": " + status.error_message();
  const bool good = !must_serve || call->response.value() == kServing;
  return good ? "" : address + ": not serving";
}

std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout) {
  auto credentials = grpc::InsecureChannelCredentials();
  const flags::Security security = flags::SecurityOf(address);
  if (security != flags::Security::kNone) {
    grpc::SslCredentialsOptions pem;
    std::string problem;
    const auto read = [&](const char* flag, const std::string& file) {
      auto text =
          file.empty() ? std::optional<std::string>("") : ReadText(file);
      if (!text) problem = flag + (": cannot read " + file);
      return text.value_or("");
    };
    pem.pem_root_certs = read("--tls-ca", tls.ca);
    // Unverified, the server's own certificate, which is sent only if needed.
    if (tls.verifies || security == flags::Security::kMtls) {
      pem.pem_cert_chain = read("--tls-cert", tls.cert);
      pem.pem_private_key =
          read("--tls-key", tls.key.empty() ? tls.cert : tls.key);
    }
    if (!problem.empty()) return problem;
    credentials =
        tls.verifies
            ? grpc::SslCredentials(pem)
            : UnverifiedCredentials(pem.pem_cert_chain + pem.pem_private_key);
  }
  return AskHealth(address, credentials, tls.server_name, timeout,
                   /*must_serve=*/true);
}

}  // namespace torqued::server
