// Sockets of clients that speak no protocol.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "server/connections/unix_socket.h"

namespace torqued::server {

/// Far above what anything here takes.
inline constexpr int kPatienceMs = 30'000;

class TestSocket {
 public:
  explicit TestSocket(int descriptor) : descriptor_(descriptor) {}
  ~TestSocket() { Close(); }
  TestSocket(TestSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  TestSocket& operator=(TestSocket&&) = delete;

  /// To "127.0.0.1:PORT" or "localhost:PORT", over IPv4; `source`: where it
  /// comes from.
  static TestSocket Connected(const std::string& address,
                              const char* source = "127.0.0.1") {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    inet_pton(AF_INET, source, &from.sin_addr);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons(static_cast<std::uint16_t>(
        std::stoi(address.substr(address.rfind(':') + 1))));
    TestSocket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(made.descriptor_, reinterpret_cast<const sockaddr*>(&from),
             sizeof(from)) != 0 ||
        connect(made.descriptor_, reinterpret_cast<const sockaddr*>(&in),
                sizeof(in)) != 0) {
      made.Close();
    }
    return made;
  }

  /// To a Unix socket.
  static TestSocket ConnectedToFile(const std::string& path) {
    const sockaddr_un address = UnixSocketAddress(path);
    TestSocket made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(made.descriptor_, reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) != 0) {
      made.Close();
    }
    return made;
  }

  bool connected() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Somebody else closes it.
  int Release() { return std::exchange(descriptor_, -1); }
  void Close() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
  }
  bool Send(std::string_view bytes) const {
    return send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// True when the server says something within the patience: it is taken.
  bool HearsSomething(int patience_ms = kPatienceMs) const {
    char byte = 0;
    pollfd wait{descriptor_, POLLIN, 0};
    return poll(&wait, 1, patience_ms) > 0 &&
           recv(descriptor_, &byte, 1, MSG_PEEK) > 0;
  }
  /// True when the server hangs up within the patience, whatever it said
  /// before.
  bool HearsTheEnd(int patience_ms = kPatienceMs) const {
    char bytes[512];
    while (true) {
      pollfd wait{descriptor_, POLLIN, 0};
      if (poll(&wait, 1, patience_ms) <= 0) return false;
      if (recv(descriptor_, bytes, sizeof(bytes), 0) <= 0) return true;
    }
  }

 private:
  int descriptor_;
};

/// What a client of HTTP/2 says first, with its settings.
inline constexpr std::string_view kPreface(
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    "\0\0\0\4\0\0\0\0\0",
    33);

}  // namespace torqued::server
