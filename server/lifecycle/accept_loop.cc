#include "server/lifecycle/accept_loop.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

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

}  // namespace

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

}  // namespace torqued::server
