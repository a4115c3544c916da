// How the listener is asked whether it takes connections.
#include <netinet/in.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "server/connections/listener.h"

namespace torqued::server {
namespace {

constexpr std::chrono::milliseconds kSlice{50};

/// The same for both ends of a connection.
std::string NameOf(const sockaddr_storage& address, socklen_t size) {
  if (address.ss_family == AF_UNIX) {
    return {reinterpret_cast<const char*>(&address), size};
  }
  return PeerAddress::Of(-1, address)->Text();
}

/// Where to connect to reach a socket that is bound there: a wildcard is
/// reached by the loopback.
sockaddr_storage Reachable(sockaddr_storage bound) {
  if (bound.ss_family == AF_INET) {
    auto* in = reinterpret_cast<sockaddr_in*>(&bound);
    if (in->sin_addr.s_addr == htonl(INADDR_ANY)) {
      in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
  } else if (bound.ss_family == AF_INET6) {
    auto* in6 = reinterpret_cast<sockaddr_in6*>(&bound);
    if (IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr)) {
      // Both families reach it; not every machine has a loopback of IPv6.
      sockaddr_in in{};
      in.sin_family = AF_INET;
      in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      in.sin_port = in6->sin6_port;
      bound = {};
      std::memcpy(&bound, &in, sizeof(in));
    }
  }
  return bound;
}

/// Binds to the same host, at a port or a name of the system's choice. Ports
/// whose last connection has just ended will do.
bool BindBeside(int descriptor, sockaddr_storage address, socklen_t size) {
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ss_family == AF_UNIX) {
    size = offsetof(sockaddr_un, sun_path);
  } else {
    reinterpret_cast<sockaddr_in*>(&address)->sin_port = 0;
  }
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) ==
         0;
}

/// Why the probe failed; empty where that says nothing of the listener, since
/// the machine has no port left to ask from: `no_port`, of the call that
/// failed.
std::string WhyNot(int error, int no_port) {
  return error == no_port ? "" : std::strerror(error);
}

/// Empty once the other end has closed the connection.
std::string AwaitEnd(int descriptor) {
  char byte = 0;
  const ssize_t got = recv(descriptor, &byte, 1, 0);
  if (got > 0) return "somebody else answers there";
  return got == 0 || errno == ECONNRESET ? "" : std::strerror(errno);
}

}  // namespace

bool Listener::IsProbe(const sockaddr_storage& address, socklen_t size) {
  const std::lock_guard lock(mutex_);
  return !probes_.empty() && probes_.contains(NameOf(address, size));
}

std::string Listener::Knock(const Door& door,
                            std::chrono::milliseconds patience) {
  const sockaddr_storage target = Reachable(door.bound);
  const Descriptor owner(
      socket(target.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int descriptor = owner.number();
  if (descriptor < 0) return std::strerror(errno);
  const socklen_t target_size =
      target.ss_family == AF_INET ? sizeof(sockaddr_in) : door.size;
  sockaddr_storage source{};
  socklen_t source_size = sizeof(source);
  if (!BindBeside(descriptor, target, target_size) ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&source),
                  &source_size) != 0) {
    return WhyNot(errno, EADDRINUSE);
  }
  const std::string name = NameOf(source, source_size);
  {
    const std::lock_guard lock(mutex_);
    probes_.insert(name);
  }
  struct Forgetter {
    Listener& listener;
    const std::string& name;
    ~Forgetter() {
      const std::lock_guard lock(listener.mutex_);
      listener.probes_.erase(name);
    }
  } const forgetter{*this, name};
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&target),
              target_size) != 0 &&
      errno != EINPROGRESS) {
    return WhyNot(errno, EADDRNOTAVAIL);
  }
  const auto end = Clock::now() + patience;
  while (Clock::now() < end && !closing()) {
    pollfd wait{descriptor, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(kSlice.count())) > 0) {
      return AwaitEnd(descriptor);
    }
  }
  return "it does not take a connection";
}

std::optional<Listener::Silence> Listener::Probe(
    std::chrono::milliseconds patience) {
  for (const Door& door : doors_) {
    const std::string detail = Knock(door, patience);
    if (closing()) return std::nullopt;
    if (!detail.empty()) return Silence{door.address, detail};
  }
  return std::nullopt;
}

}  // namespace torqued::server
