#include "server/connections/connection.h"

#include <sys/socket.h>

#include <charconv>

#include "server/connections/slot_credentials.h"

namespace torqued::server {

void AbortSocket(int descriptor) {
  sockaddr none{};
  none.sa_family = AF_UNSPEC;
  connect(descriptor, &none, sizeof none);
  shutdown(descriptor, SHUT_RDWR);
}

ConnectionId ConnectionOf(const grpc::ServerContextBase& context) {
  const auto values =
      context.auth_context()->FindPropertyValues(kConnectionProperty);
  ConnectionId id = kNoConnection;
  if (!values.empty()) {
    const auto& text = values.front();
    std::from_chars(text.data(), text.data() + text.size(), id);
  }
  return id;
}

std::string PeerOf(const grpc::ServerContextBase& context) {
  const auto values =
      context.auth_context()->FindPropertyValues(kClientProperty);
  if (values.empty()) return context.peer();
  return {values.front().data(), values.front().size()};
}

}  // namespace torqued::server
