// Sockets that listen.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <string>
#include <variant>
#include <vector>

#include "server/connections/descriptor.h"

namespace torqued::server {

/// Listens from its making to its end, and closes its descriptor then. A socket
/// file goes with it, unless it has become another's.
class ListeningSocket {
 public:
  /// Of a bound descriptor; `file`: of a Unix socket.
  ListeningSocket(Descriptor descriptor, std::string file);
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  int descriptor() const { return descriptor_.number(); }
  bool is_unix() const { return !file_.empty(); }
  /// Where it is bound.
  sockaddr_storage Address(socklen_t* size) const;

 private:
  Descriptor descriptor_;
  std::string file_;
  dev_t device_ = 0;  // of the file
  ino_t inode_ = 0;
};

/// What an address of --listen leads to.
struct ListeningPlace {
  std::string address;  // as it was given, with the port that it got
  std::vector<ListeningSocket> sockets;
};

/// Listens on "HOST:PORT" or "unix:PATH", or says why not. A name leads to
/// every address that it has, all with one port; an address that the machine
/// does not have is left out where there is another one, one that is in use is
/// not. Both wildcards mean every address of both families. No other socket
/// shares a port. A socket file that nobody answers on is replaced.
std::variant<ListeningPlace, std::string> Listen(const std::string& address);

/// The first address that leads to where an earlier one leads, as far as that
/// shows without looking up names; empty when there is none. Ports chosen by
/// the system differ.
std::string RepeatedAddress(const std::vector<std::string>& addresses);

}  // namespace torqued::server
