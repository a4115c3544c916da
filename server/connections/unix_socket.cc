#include "server/connections/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "server/flags/address.h"

namespace torqued::server {
namespace {

std::string PathOf(const std::string& address) {
  return std::string(flags::SocketPath(address));
}

/// errno of connect, or 0.
int TryToConnect(const std::string& path) {
  // A listener whose backlog is full would keep a blocking connect waiting.
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  const sockaddr_un address = UnixSocketAddress(path);
  const int error = connect(fd, reinterpret_cast<const sockaddr*>(&address),
                            sizeof(address)) == 0
                        ? 0
                        : errno;
  close(fd);
  return error;
}

}  // namespace

sockaddr_un UnixSocketAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::string UnixSocketFile(const std::string& address) {
  const std::string path = PathOf(address);
  std::error_code error;
  const std::filesystem::path file = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  return error ? path : file.string();
}

std::string UnixSocketProblem(const std::string& address) {
  const std::string path = PathOf(address);
  if (std::string why = flags::SocketPathProblem(path); !why.empty()) {
    return why;
  }
  struct stat status{};
  // What cannot be looked at cannot be bound either, which then says why.
  if (lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) return "the file exists and is no socket";
  const int error = TryToConnect(path);
  if (error == 0 || error == EAGAIN) return "another server listens there";
  return error == ECONNREFUSED ? "" : std::strerror(error);
}

}  // namespace torqued::server
