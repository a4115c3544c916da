// Sockets that accept connections.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/flags/address.h"

namespace torqued::server {

/// Owns a listening descriptor, and the file of a Unix socket.
class ListeningSocket {
 public:
  ListeningSocket(int descriptor, std::string file)
      : descriptor_(descriptor), file_(std::move(file)) {}
  /// Removes the file first: a server that starts meanwhile finds no file that
  /// it could replace by its own.
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        file_(std::move(other.file_)) {}
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string file_;
};

/// What an address of --listen leads to.
struct BoundAddress {
  std::string text;  // as it was given, with the port that was free
  flags::Security security = flags::Security::kNone;
  std::vector<ListeningSocket> sockets;
};

/// Listens on an address of --listen, or says why not. A name leads to all
/// of its addresses that this machine has, with one port. A wildcard accepts
/// both families. No other socket shares a port. The file of a Unix socket on
/// which nobody answers is replaced.
std::variant<BoundAddress, std::string> Listen(const std::string& address);

/// Tells scripts where the server listens, one address a line. Readers see the
/// whole file or none of it. Returns what went wrong, or nothing.
std::string WriteAddressFile(const std::string& path,
                             const std::vector<std::string>& addresses);

}  // namespace torqued::server
