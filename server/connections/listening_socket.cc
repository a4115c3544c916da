#include "server/connections/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "server/connections/unix_socket.h"
#include "server/flags/address.h"

namespace torqued::server {
namespace {

// The system cuts it at net.core.somaxconn.
constexpr int kBacklog = 4096;
// A port that is free at one address of a name may be taken at another.
constexpr int kAttempts = 16;

/// An address to bind to.
struct Target {
  sockaddr_storage address{};
  socklen_t size = 0;

  int family() const { return address.ss_family; }
  void set_port(in_port_t port) {  // in network order, which is at one place
    reinterpret_cast<sockaddr_in*>(&address)->sin_port = port;
  }
  friend bool operator==(const Target& a, const Target& b) {
    return a.size == b.size && std::memcmp(&a.address, &b.address, a.size) == 0;
  }
};

template <class Address>
Target TargetOf(const Address& address) {
  Target target;
  std::memcpy(&target.address, &address, sizeof(address));
  target.size = sizeof(address);
  return target;
}

bool IsWildcard(const Target& target) {
  if (target.family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &target.address, sizeof(in));
    return in.sin_addr.s_addr == htonl(INADDR_ANY);
  }
  sockaddr_in6 in6{};
  std::memcpy(&in6, &target.address, sizeof(in6));
  return IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
}

in_port_t PortOf(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return reinterpret_cast<const sockaddr_in*>(&address)->sin_port;
}

/// A descriptor that listens, or none and errno.
Descriptor ListenOn(const Target& target, bool both_families) {
  Descriptor descriptor(
      socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int number = descriptor.number();
  if (number < 0) return descriptor;
  // So that connections of a server before us, which the system remembers for
  // a minute, do not hold the port. Two sockets that listen never share one.
  const int on = 1, only = both_families ? 0 : 1;
  setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (target.family() == AF_INET6) {
    setsockopt(number, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  }
  if (bind(number, reinterpret_cast<const sockaddr*>(&target.address),
           target.size) == 0 &&
      listen(number, kBacklog) == 0) {
    return descriptor;
  }
  const int error = errno;
  descriptor = Descriptor(-1);
  errno = error;
  return descriptor;
}

/// Listens on every target, all with the first one's port where that is 0.
/// errno, or 0.
int ListenOnAll(std::vector<Target> targets,
                std::vector<ListeningSocket>* sockets) {
  sockets->clear();
  int absent = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Descriptor descriptor = ListenOn(targets[i], IsWildcard(targets[i]));
    if (descriptor.number() >= 0) {
      const in_port_t port = PortOf(descriptor.number());
      for (Target& target : targets) target.set_port(port);
      sockets->emplace_back(std::move(descriptor), "");
    } else if (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT) {
      absent = errno;
    } else {
      return errno;
    }
  }
  return sockets->empty() ? absent : 0;
}

std::string Resolve(const std::string& host, const std::string& port,
                    std::vector<Target>* targets) {
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
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Target target;
    std::memcpy(&target.address, at->ai_addr, at->ai_addrlen);
    target.size = at->ai_addrlen;
    if (std::find(targets->begin(), targets->end(), target) == targets->end()) {
      targets->push_back(target);
    }
  }
  return {};
}

/// Both families through one socket, where the machine has both.
std::vector<Target> Wildcards(in_port_t port) {
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = port;
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = port;
  return {TargetOf(in6), TargetOf(in)};
}

std::variant<ListeningPlace, std::string> ListenTcp(
    const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  std::vector<Target> targets;
  if (std::string why = Resolve(host, address.substr(colon + 1), &targets);
      !why.empty()) {
    return why;
  }
  ListeningPlace place;
  const bool any_port =
      reinterpret_cast<const sockaddr_in*>(&targets[0].address)->sin_port == 0;
  int error = 0;
  if (std::any_of(targets.begin(), targets.end(), &IsWildcard)) {
    const in_port_t port =
        reinterpret_cast<const sockaddr_in*>(&targets[0].address)->sin_port;
    for (const Target& wildcard : Wildcards(port)) {
      error = ListenOnAll({wildcard}, &place.sockets);
      if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL) break;
    }
  } else {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      error = ListenOnAll(targets, &place.sockets);
      if (error != EADDRINUSE || !any_port) break;
    }
  }
  if (error != 0) return std::strerror(error);
  place.address =
      address.substr(0, colon + 1) +
      std::to_string(ntohs(PortOf(place.sockets.front().descriptor())));
  return place;
}

std::variant<ListeningPlace, std::string> ListenUnix(
    const std::string& address) {
  if (std::string why = UnixSocketProblem(address); !why.empty()) return why;
  const std::string path(flags::SocketPath(address));
  // What a killed server left behind.
  unlink(path.c_str());
  Descriptor descriptor =
      ListenOn(TargetOf(UnixSocketAddress(path)), /*both_families=*/false);
  if (descriptor.number() < 0) return std::strerror(errno);
  ListeningPlace place;
  place.address = address;
  place.sockets.emplace_back(std::move(descriptor), UnixSocketFile(address));
  return place;
}

}  // namespace

ListeningSocket::ListeningSocket(Descriptor descriptor, std::string file)
    : descriptor_(std::move(descriptor)), file_(std::move(file)) {
  struct stat status{};
  if (is_unix() && lstat(file_.c_str(), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
}

ListeningSocket::~ListeningSocket() {
  if (descriptor() < 0) return;
  descriptor_ = Descriptor(-1);
  struct stat status{};
  if (is_unix() && lstat(file_.c_str(), &status) == 0 &&
      status.st_dev == device_ && status.st_ino == inode_) {
    unlink(file_.c_str());
  }
}

sockaddr_storage ListeningSocket::Address(socklen_t* size) const {
  sockaddr_storage address{};
  *size = sizeof(address);
  getsockname(descriptor(), reinterpret_cast<sockaddr*>(&address), size);
  return address;
}

std::string RepeatedAddress(const std::vector<std::string>& addresses) {
  std::set<std::string> places;
  for (const std::string& address : addresses) {
    const bool unix_socket = flags::IsUnixAddress(address);
    if (!unix_socket && address.ends_with(":0")) continue;
    const std::string place = unix_socket ? UnixSocketFile(address) : address;
    if (!places.insert(place).second) return address;
  }
  return {};
}

std::variant<ListeningPlace, std::string> Listen(const std::string& address) {
  return flags::IsUnixAddress(address) ? ListenUnix(address)
                                       : ListenTcp(address);
}

}  // namespace torqued::server
