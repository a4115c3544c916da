#include "server/lifecycle/listen_problem.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "server/flags/address.h"
#include "server/lifecycle/unix_socket.h"

namespace torqued::server {

std::string ListenProblem(const std::string& address) {
  if (flags::IsUnixAddress(address)) return UnixBindProblem(address);
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  const std::string port = address.substr(colon + 1);
  if (host.front() == '[') host = host.substr(1, host.size() - 2);

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
      error != 0) {
    return gai_strerror(error);
  }
  std::string problem;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    const int reuse = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
    if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) != 0 ||
        listen(fd, 1) != 0) {
      problem = std::strerror(errno);
    }
    if (fd >= 0) close(fd);
  }
  freeaddrinfo(found);
  return problem;
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

}  // namespace torqued::server
