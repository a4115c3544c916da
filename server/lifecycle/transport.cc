#include "server/lifecycle/transport.h"

#include <absl/cleanup/cleanup.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpcpp/resource_quota.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

using Milliseconds = std::chrono::milliseconds;
using flags::Security;

constexpr Milliseconds kMostPatience{20'000};
// The system reduces it to net.core.somaxconn.
constexpr int kBacklog = 4096;
constexpr Milliseconds kPause{50}, kBetweenLines{1000};

/// To gRPC the largest number is no time at all.
int OrNever(Milliseconds time) {
  constexpr std::int64_t kNever = std::numeric_limits<int>::max();
  return static_cast<int>(
      time.count() == 0 ? kNever : std::min(time.count(), kNever - 1));
}

struct Name {
  std::string host, port;  // numeric; of a Unix socket `port` is the path
};

/// The own end of a socket. An accepted one has that of the one that listened.
Name LocalName(int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  auto* address = reinterpret_cast<sockaddr*>(&name);
  char host[NI_MAXHOST] = "", port[sizeof(sockaddr_un)] = "";
  getsockname(descriptor, address, &size);
  getnameinfo(address, size, host, sizeof(host), port, sizeof(port),
              NI_NUMERICHOST | NI_NUMERICSERV);
  return {host, port};
}

/// A listening descriptor; -1 and errno if there is none.
int ListenOn(const sockaddr* address, socklen_t size) {
  const int descriptor =
      socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  // Connections of an earlier server, which the system remembers for a minute,
  // do not hold the port. Two listening sockets never share one.
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address->sa_family == AF_INET6) {
    const auto* in6 = reinterpret_cast<const sockaddr_in6*>(address);
    const int only = IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr) ? 0 : 1;
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  }
  if (bind(descriptor, address, size) == 0 &&
      listen(descriptor, kBacklog) == 0) {
    return descriptor;
  }
  const int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/// On every address of the host that this machine has, all with one port.
std::vector<int> ListenTcp(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  Require(error == 0, gai_strerror(error));
  const absl::Cleanup free([found] { freeaddrinfo(found); });
  std::vector<int> sockets;
  std::set<std::string> seen;  // a name may have an address twice
  int absent = 0;
  for (addrinfo* at = found; at != nullptr; at = at->ai_next) {
    auto* address = reinterpret_cast<char*>(at->ai_addr);
    if (!seen.emplace(address, at->ai_addrlen).second) continue;
    if (!sockets.empty()) {
      // It has the same place in both families.
      reinterpret_cast<sockaddr_in*>(at->ai_addr)->sin_port = htons(
          static_cast<in_port_t>(std::stoi(LocalName(sockets.front()).port)));
    }
    const int descriptor = ListenOn(at->ai_addr, at->ai_addrlen);
    if (descriptor >= 0) {
      sockets.push_back(descriptor);
    } else {
      absent = errno;
      Require(absent == EADDRNOTAVAIL || absent == EAFNOSUPPORT,
              std::strerror(absent));
    }
  }
  // A machine without IPv6 has the other wildcard.
  if (sockets.empty() && host == "::") return ListenTcp("0.0.0.0", port);
  Require(!sockets.empty(), std::strerror(absent));
  return sockets;
}

int ListenUnix(const std::string& path) {
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0) {
    Require(S_ISSOCK(status.st_mode), "the file exists and is not a socket");
    // A full backlog would keep a blocking connect waiting.
    const int client =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    Require(client >= 0, std::strerror(errno));
    const int error = connect(client, address, sizeof(name)) == 0 ? 0 : errno;
    close(client);
    Require(error != 0 && error != EAGAIN, "another server listens there");
    Require(error == ECONNREFUSED, std::strerror(error));
    unlink(path.c_str());
  }
  const int descriptor = ListenOn(address, sizeof(name));
  Require(descriptor >= 0, std::strerror(errno));
  return descriptor;
}

/// gRPC looks for another certificate before each handshake, always on the
/// thread that accepts: it takes no lock while it replaces one.
class WatchingCredentials final : public grpc::ServerCredentials {
 public:
  WatchingCredentials(const Certificates::Current& current,
                      grpc_ssl_client_certificate_request_type request)
      : current_(current),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                request, &Fetch, this))) {}
  ~WatchingCredentials() override {
    grpc_server_credentials_release(credentials_);
  }
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}
  int AddPortToServer(const std::string& address,
                      grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* credentials, grpc_ssl_server_certificate_config** config) {
    auto& self = *static_cast<WatchingCredentials*>(credentials);
    const auto current = self.current_.load();
    if (std::exchange(self.used_, current) == current) {
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    }
    const auto& [cert, key, ca] = *current;
    const grpc_ssl_pem_key_cert_pair pair{key.c_str(), cert.c_str()};
    // gRPC needs a CA also where it asks for no certificate.
    *config = grpc_ssl_server_certificate_config_create(
        (ca.empty() ? cert : ca).c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

 private:
  const Certificates::Current& current_;
  std::shared_ptr<const Certificates::Texts> used_;
  grpc_server_credentials* const credentials_;
};

/// In Unix time.
std::int64_t EndOf(const X509* certificate) {
  std::tm calendar{};
  ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &calendar);
  return timegm(&calendar);
}

void RequireOf(bool good, const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  Require(good, reason == nullptr ? what : what + ": " + reason);
}

}  // namespace

std::string ReadPem(const std::string& flag, const std::string& file) {
  if (file.empty()) return {};
  auto text = ReadText(file);
  Require(text.has_value(), flag + ": cannot read " + file);
  return std::move(*text);
}

bool Certificates::Use() {
  const std::string& key = files_.key.empty() ? files_.cert : files_.key;
  const auto read = [&] {
    return Texts{ReadPem("--tls-cert", files_.cert), ReadPem("--tls-key", key),
                 ReadPem("--tls-client-ca", files_.client_ca)};
  };
  Texts texts;
  do {  // until these are what was checked
    texts = read();
    const auto current = current_.load();
    if (current != nullptr && *current == texts) return false;
    Check(key);
  } while (texts != read());
  current_ = std::make_shared<const Texts>(std::move(texts));
  return true;
}

void Certificates::Check(const std::string& key) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  SSL_CTX* const tls = context.get();
  // A key with a passphrase is refused, not asked for.
  SSL_CTX_set_default_passwd_cb(tls, [](char*, int, int, void*) { return 0; });
  RequireOf(SSL_CTX_use_certificate_chain_file(tls, files_.cert.c_str()) == 1,
            "--tls-cert: " + files_.cert + " has no certificate");
  RequireOf(
      SSL_CTX_use_PrivateKey_file(tls, key.c_str(), SSL_FILETYPE_PEM) == 1,
      "--tls-key: " + key + " has no key of the certificate");
  const std::int64_t end = EndOf(SSL_CTX_get0_certificate(tls));
  RequireOf(end > std::time(nullptr),
            "--tls-cert: " + files_.cert + " has expired");
  std::int64_t vouched_until = 0;
  if (const std::string& ca = files_.client_ca; !ca.empty()) {
    RequireOf(SSL_CTX_load_verify_locations(tls, ca.c_str(), nullptr) == 1,
              "--tls-client-ca: " + ca + " has no certificate");
    X509_STORE_set_purpose(SSL_CTX_get_cert_store(tls),
                           X509_PURPOSE_SSL_CLIENT);
    if (SSL_CTX_build_cert_chain(tls, SSL_BUILD_CHAIN_FLAG_UNTRUSTED) == 1) {
      STACK_OF(X509)* chain = nullptr;
      SSL_CTX_get0_chain_certs(tls, static_cast<void*>(&chain));
      vouched_until = end;
      for (int k = 0; k < sk_X509_num(chain); ++k) {
        vouched_until = std::min(vouched_until, EndOf(sk_X509_value(chain, k)));
      }
    }
    ERR_clear_error();
  }
  expires_ = end;
  vouched_until_ = vouched_until;
}

void Certificates::Reload() {
  std::string problem;
  try {
    if (Use()) {
      Log(LogLevel::kInfo, "certificate replaced", {{"file", files_.cert}});
    }
  } catch (const std::exception& error) {
    problem = error.what();
  }
  // Of a file that cannot be read, too.
  const bool is_new = problem != std::exchange(problem_, problem);
  if (problem.empty() || !is_new) return;
  ++failures_;
  Log(LogLevel::kError, "certificate not replaced", {{"detail", problem}});
}

std::shared_ptr<grpc::ServerCredentials> Certificates::ForServer(
    bool client_must_have_one) const {
  return std::make_shared<WatchingCredentials>(
      current_, files_.client_ca.empty()
                    ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                : client_must_have_one
                    ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                    : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
}

std::string Certificates::own() const {
  if (std::time(nullptr) >= vouched_until_) return {};
  const auto current = current_.load();
  return (*current)[0] + "\n" + (*current)[1];
}

void ConfigureTransport(const Settings& settings,
                        grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(
      static_cast<int>(settings.max_message_bytes));
  builder->SetMaxSendMessageSize(static_cast<int>(settings.max_message_bytes));
  grpc::ResourceQuota quota;
  quota.Resize(static_cast<std::size_t>(ArrivalBytes(settings)));
  builder->SetResourceQuota(quota);
  const auto set = [builder](const char* name, int value) {
    builder->AddChannelArgument(name, value);
  };
  // A frame of 16 KiB, the protocol's default, costs a tenth of the server's
  // time in streams of large chunks.
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 1 << 20);
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, 256);  // of one connection
  set(GRPC_ARG_MAX_METADATA_SIZE, 8192);
  // What one thread takes from a connection before it turns to others: of the
  // usual 4 MB, frames of 15 bytes keep it for seconds.
  set(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 256 << 10);
  set(GRPC_ARG_KEEPALIVE_TIME_MS, OrNever(settings.keepalive));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
      OrNever(std::clamp(settings.keepalive, Milliseconds(1), kMostPatience)));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Who pings more often, three times while nothing is sent, is sent away.
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 600'000);  // clients come again
  // Its grace has no end unless set.
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, OrNever(settings.max_connection_age));
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20'000);
  // A search for deadlocks at every lock that gRPC takes, which abseil makes
  // unless it was compiled without assertions: Debian's has them.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

int RaiseDescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(
      std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

AcceptLoop::AcceptLoop(const std::vector<std::string>& addresses,
                       int descriptor_limit)
    : AcceptLoop(descriptor_limit - kOtherDescriptors) {
  Require(descriptor_limit >= 2 * kOtherDescriptors,
          absl::StrCat("this process may have ", descriptor_limit,
                       " descriptors; it needs ", 2 * kOtherDescriptors,
                       " (ulimit -Hn; LimitNOFILE of a service)"));
  for (const std::string& address : addresses) {
    try {
      addresses_.push_back(Listen(address));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("cannot listen on " + address + ": " +
                               error.what());
    }
  }
}

std::string AcceptLoop::Listen(const std::string& address) {
  const Security security = flags::SecurityOf(address);
  const std::string place(flags::WithoutSecurity(address));
  if (flags::IsUnixAddress(place)) {
    const std::string path(flags::SocketPath(place));
    listeners_.push_back({ListenUnix(path), security, path});
    own_addresses_.push_back(address);
    local_.insert(path);
    return address;
  }
  const std::size_t colon = place.rfind(':');
  std::string host = place.substr(0, colon), port = place.substr(colon + 1);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  // One socket for both families.
  if (host == "0.0.0.0") host = "::";
  const std::string prefix = address.substr(0, address.size() - place.size());
  for (const int descriptor : ListenTcp(host, port)) {
    listeners_.push_back({descriptor, security, ""});
    Name own = LocalName(descriptor);
    // That of IPv6 accepts this one, too, which every machine has.
    if (own.host == "::" || own.host == "0.0.0.0") own.host = "127.0.0.1";
    if (own.host.find(':') != own.host.npos) own.host = "[" + own.host + "]";
    own_addresses_.push_back(prefix + own.host + ":" + (port = own.port));
  }
  local_.insert(port);
  return address.substr(0, address.rfind(':') + 1) + port;
}

void AcceptLoop::RegisterWith(grpc::ServerBuilder* builder,
                              const Certificates* certificates) {
  for (Listener& listener : listeners_) {
    listener.acceptor = builder->experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        listener.security == Security::kNone
            ? grpc::InsecureServerCredentials()
            : certificates->ForServer(listener.security == Security::kMtls));
  }
}

void AcceptLoop::Start() {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { Run(); });
}

void AcceptLoop::Close() {
  if (thread_.joinable()) {
    eventfd_write(wake_, 1);
    thread_.join();
    close(wake_);
  }
  for (const Listener& listener : listeners_) {
    // First: a server that starts meanwhile finds no file to replace.
    if (!listener.file.empty()) unlink(listener.file.c_str());
    close(listener.descriptor);
  }
  listeners_.clear();
}

void AcceptLoop::Run() {
  pthread_setname_np(pthread_self(), "accept");
  std::vector<pollfd> ready;
  ready.reserve(listeners_.size() + 1);
  for (const Listener& listener : listeners_) {
    ready.push_back({listener.descriptor, POLLIN, 0});
  }
  ready.push_back({wake_, POLLIN, 0});
  while (ready.back().revents == 0) {
    if (poll(ready.data(), ready.size(), -1) <= 0) continue;
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if (ready[i].revents != 0) Accept(listeners_[i]);
    }
  }
}

void AcceptLoop::Accept(const Listener& listener) {
  const int descriptor = accept4(listener.descriptor, nullptr, nullptr,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) {
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
    LogRefusal(std::strerror(errno));
    std::this_thread::sleep_for(kPause);
    return;
  }
  // The system gives the smallest number that is free.
  if (descriptor >= most_) {
    close(descriptor);
    ++refused_;
    return LogRefusal("the limit of descriptors is " +
                      std::to_string(most_ + kOtherDescriptors));
  }
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  largest_ = std::max(largest_.load(), descriptor);
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
      connection;
  connection.listener_fd = listener.descriptor;
  connection.fd = descriptor;
  listener.acceptor->HandleNewConnection(&connection);
}

void AcceptLoop::LogRefusal(const std::string& why) {
  if (std::chrono::steady_clock::now() < next_line_) return;
  next_line_ = std::chrono::steady_clock::now() + kBetweenLines;
  Log(LogLevel::kWarn, "connections refused",
      {{"detail", why}, {"count", refused_.load()}});
}

std::vector<int> AcceptLoop::Connections() const {
  std::vector<int> connections;
  for (int number = 0; number <= largest_; ++number) {
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    const bool connected =
        getpeername(number, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
    if (connected && local_.contains(LocalName(number).port)) {
      connections.push_back(number);
    }
  }
  return connections;
}

bool AcceptLoop::Unsent() const {
  return std::ranges::any_of(Connections(), [](int descriptor) {
    int bytes = 0;
    return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0;
  });
}

void AcceptLoop::ShutDownConnections() const {
  for (const int descriptor : Connections()) shutdown(descriptor, SHUT_RDWR);
}

void WriteAddressFile(const std::string& path,
                      const std::vector<std::string>& addresses) {
  const std::string draft = path + "." + std::to_string(getpid());
  std::ofstream file(draft);
  file << absl::StrJoin(addresses, "\n") << std::endl;
  if (file && std::rename(draft.c_str(), path.c_str()) == 0) return;
  throw std::runtime_error("--address-file: cannot write " + path + ": " +
                           std::strerror(errno));
}

}  // namespace torqued::server
