#include "server/lifecycle/accept_loop.h"

#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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
#include <cstring>
#include <fstream>
#include <limits>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

using ExternalConnectionType =
    grpc::ServerBuilder::experimental_type::ExternalConnectionType;

constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::seconds kBetweenLines{1};

/// The own end of a socket: its port, or the path of a Unix socket. An accepted
/// socket has that of the one that listened.
std::string LocalName(int descriptor, bool* tcp = nullptr) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return {};
  }
  const bool is_tcp = name.ss_family == AF_INET || name.ss_family == AF_INET6;
  if (tcp != nullptr) *tcp = is_tcp;
  if (name.ss_family == AF_UNIX) {
    return reinterpret_cast<const sockaddr_un*>(&name)->sun_path;
  }
  if (!is_tcp) return {};
  // The port has the same place in both families.
  return std::to_string(reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

bool IsConnected(int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  return getpeername(descriptor, reinterpret_cast<sockaddr*>(&name), &size) ==
         0;
}

// The system reduces it to net.core.somaxconn.
constexpr int kBacklog = 4096;
// A port that is free at one address of a name may be taken at another.
constexpr int kAttempts = 16;

/// An address to bind to.
struct Target {
  sockaddr_storage address{};
  socklen_t size = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address);
  }
  /// In network order; it has the same place in both families.
  in_port_t& port() {
    return reinterpret_cast<sockaddr_in*>(&address)->sin_port;
  }
};

bool IsWildcard(const Target& target) {
  if (target.address.ss_family == AF_INET) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(&target.address);
    return in->sin_addr.s_addr == htonl(INADDR_ANY);
  }
  const auto* in6 = reinterpret_cast<const sockaddr_in6*>(&target.address);
  return IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
}

in_port_t PortOf(int descriptor) {
  Target bound;
  bound.size = sizeof(bound.address);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound.address),
              &bound.size);
  return bound.port();
}

/// A listening descriptor; -1 and errno if there is none.
int ListenOn(const Target& target, bool both_families) {
  const int descriptor = socket(target.address.ss_family,
                                SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  // Connections of an earlier server, which the system remembers for a minute,
  // do not hold the port. Two listening sockets never share one.
  const int on = 1, only = both_families ? 0 : 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (target.address.ss_family == AF_INET6) {
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  }
  if (bind(descriptor, target.get(), target.size) == 0 &&
      listen(descriptor, kBacklog) == 0) {
    return descriptor;
  }
  const int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/// Listens on every target that this machine has, all with one port. errno, or
/// 0.
int ListenOnAll(std::vector<Target> targets,
                std::vector<ListeningSocket>* sockets) {
  sockets->clear();
  int absent = 0;
  for (const Target& target : targets) {
    const int descriptor = ListenOn(target, IsWildcard(target));
    if (descriptor >= 0) {
      sockets->emplace_back(descriptor, "");
      for (Target& other : targets) other.port() = PortOf(descriptor);
    } else if (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT) {
      absent = errno;
    } else {
      return errno;
    }
  }
  return sockets->empty() ? absent : 0;
}

std::variant<std::vector<Target>, std::string> Resolve(
    const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
      error != 0) {
    return gai_strerror(error);
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found,
                                                             &freeaddrinfo);
  std::vector<Target> targets;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Target target;
    std::memcpy(&target.address, at->ai_addr, at->ai_addrlen);
    target.size = at->ai_addrlen;
    if (std::none_of(targets.begin(), targets.end(), [&](const Target& other) {
          return std::memcmp(&other.address, &target.address,
                             sizeof(target.address)) == 0;
        })) {
      targets.push_back(target);
    }
  }
  return targets;
}

std::variant<BoundAddress, std::string> ListenTcp(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string port = address.substr(colon + 1);
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  auto resolved = Resolve(host, port);
  if (auto* why = std::get_if<std::string>(&resolved)) return *why;
  auto& targets = std::get<std::vector<Target>>(resolved);
  BoundAddress bound;
  int error = EAFNOSUPPORT;
  if (std::any_of(targets.begin(), targets.end(), &IsWildcard)) {
    // One socket for both families, if this machine has IPv6.
    const auto both = Resolve("::", port);
    if (const auto* one = std::get_if<std::vector<Target>>(&both)) {
      error = ListenOnAll(*one, &bound.sockets);
    }
  }
  const bool is_absent = error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
  for (int attempt = 0; attempt < kAttempts && bound.sockets.empty();
       ++attempt) {
    const bool is_open =
        attempt == 0 ? is_absent : error == EADDRINUSE && port == "0";
    if (!is_open) break;
    error = ListenOnAll(targets, &bound.sockets);
    if (error != 0) bound.sockets.clear();
  }
  if (error != 0) return std::strerror(error);
  bound.text =
      address.substr(0, colon + 1) +
      std::to_string(ntohs(PortOf(bound.sockets.front().descriptor())));
  return bound;
}

/// Removes a socket on which nobody answers, or says what stands there.
std::string Replace(const std::string& path, const Target& target) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return {};  // bind says why
  if (!S_ISSOCK(status.st_mode)) return "the file exists and is no socket";
  // A full backlog would keep a blocking connect waiting.
  const int client =
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client < 0) return std::strerror(errno);
  const int error = connect(client, target.get(), target.size) == 0 ? 0 : errno;
  close(client);
  if (error == 0 || error == EAGAIN) return "another server listens there";
  if (error != ECONNREFUSED) return std::strerror(error);
  unlink(path.c_str());
  return {};
}

std::variant<BoundAddress, std::string> ListenUnix(const std::string& address) {
  const std::string path(flags::SocketPath(address));
  if (std::string why = flags::SocketPathProblem(path); !why.empty()) {
    return why;
  }
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  Target target;
  std::memcpy(&target.address, &name, sizeof(name));
  target.size = sizeof(name);
  if (std::string why = Replace(path, target); !why.empty()) return why;
  const int descriptor = ListenOn(target, /*both_families=*/false);
  if (descriptor < 0) return std::strerror(errno);
  BoundAddress bound{.text = address, .security = {}, .sockets = {}};
  bound.sockets.emplace_back(descriptor, path);
  return bound;
}

/// Listens on an address of --listen, or says why not. A name leads to all
/// of its addresses that this machine has, with one port. A wildcard accepts
/// both families. No other socket shares a port. The file of a Unix socket on
/// which nobody answers is replaced.
std::variant<BoundAddress, std::string> Listen(const std::string& address) {
  const std::string place(flags::WithoutSecurity(address));
  auto bound =
      flags::IsUnixAddress(place) ? ListenUnix(place) : ListenTcp(place);
  if (auto* made = std::get_if<BoundAddress>(&bound)) {
    made->security = flags::SecurityOf(address);
    made->text.insert(0, address, 0, address.size() - place.size());
  }
  return bound;
}

}  // namespace

ListeningSocket::~ListeningSocket() {
  if (descriptor_ < 0) return;
  if (!file_.empty()) unlink(file_.c_str());
  close(descriptor_);
}

int RaiseDescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(
      std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

std::variant<std::unique_ptr<AcceptLoop>, std::string> AcceptLoop::Open(
    const std::vector<std::string>& addresses, int descriptor_limit) {
  if (descriptor_limit < 2 * kOtherDescriptors) {
    return "this process may have " + std::to_string(descriptor_limit) +
           " descriptors; it needs " + std::to_string(2 * kOtherDescriptors) +
           " (ulimit -Hn; LimitNOFILE of a service)";
  }
  std::vector<BoundAddress> bound;
  for (const std::string& address : addresses) {
    auto listening = Listen(address);
    if (const auto* why = std::get_if<std::string>(&listening)) {
      return "cannot listen on " + address + ": " + *why;
    }
    bound.push_back(std::get<BoundAddress>(std::move(listening)));
  }
  return std::unique_ptr<AcceptLoop>(
      new AcceptLoop(std::move(bound), descriptor_limit));
}

AcceptLoop::AcceptLoop(std::vector<BoundAddress> bound, int descriptor_limit)
    : most_(descriptor_limit - kOtherDescriptors), bound_(std::move(bound)) {
  for (const BoundAddress& address : bound_) {
    addresses_.push_back(address.text);
    for (const ListeningSocket& socket : address.sockets) {
      local_.push_back(LocalName(socket.descriptor()));
    }
  }
}

void AcceptLoop::RegisterWith(grpc::ServerBuilder* builder,
                              const Certificates* certificates) {
  for (const BoundAddress& address : bound_) {
    auto& acceptor = acceptors_[static_cast<std::size_t>(address.security)];
    if (acceptor != nullptr) continue;
    acceptor = builder->experimental().AddExternalConnectionAcceptor(
        ExternalConnectionType::FROM_FD,
        address.security == flags::Security::kNone
            ? grpc::InsecureServerCredentials()
            : certificates->ForServer(address.security ==
                                      flags::Security::kMtls));
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
  bound_.clear();
}

void AcceptLoop::Run() {
  pthread_setname_np(pthread_self(), "accept");
  std::vector<pollfd> ready{{wake_, POLLIN, 0}};
  std::vector<flags::Security> security{{}};
  for (const BoundAddress& address : bound_) {
    for (const ListeningSocket& socket : address.sockets) {
      ready.push_back({socket.descriptor(), POLLIN, 0});
      security.push_back(address.security);
    }
  }
  while (ready.front().revents == 0) {
    if (poll(ready.data(), ready.size(), -1) <= 0) continue;
    for (std::size_t i = 1; i < ready.size(); ++i) {
      if (ready[i].revents != 0) Accept(ready[i].fd, security[i]);
    }
  }
}

void AcceptLoop::Accept(int listener, flags::Security security) {
  const int descriptor =
      accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
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
  connection.listener_fd = listener;
  connection.fd = descriptor;
  acceptors_[static_cast<std::size_t>(security)]->HandleNewConnection(
      &connection);
}

void AcceptLoop::LogRefusal(const std::string& why) {
  if (std::chrono::steady_clock::now() < next_line_) return;
  next_line_ = std::chrono::steady_clock::now() + kBetweenLines;
  Log(LogLevel::kWarn, "connections refused",
      {{"detail", why}, {"count", refused_.load()}});
}

void AcceptLoop::ForEachConnection(
    const std::function<void(int descriptor, bool tcp)>& see) const {
  for (int number = 0; number <= largest_; ++number) {
    bool tcp = false;
    if (IsConnected(number) &&
        std::count(local_.begin(), local_.end(), LocalName(number, &tcp)) > 0) {
      see(number, tcp);
    }
  }
}

bool AcceptLoop::Unsent() const {
  bool unsent = false;
  ForEachConnection([&](int descriptor, bool tcp) {
    int bytes = 0;
    unsent = unsent ||
             (tcp && ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0);
  });
  return unsent;
}

void AcceptLoop::ShutDownConnections() const {
  ForEachConnection(
      [](int descriptor, bool) { shutdown(descriptor, SHUT_RDWR); });
}

std::string WriteAddressFile(const std::string& path,
                             const std::vector<std::string>& addresses) {
  const std::string draft = path + "." + std::to_string(getpid());
  errno = 0;
  std::ofstream file(draft, std::ios::trunc);
  for (const std::string& address : addresses) file << address << '\n';
  file.close();
  if (file && std::rename(draft.c_str(), path.c_str()) == 0) return {};
  std::string problem =
      "--address-file: cannot write " + path + ": " + std::strerror(errno);
  std::remove(draft.c_str());
  return problem;
}

}  // namespace torqued::server
