#include "server/connections/connection.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <string_view>
#include <tuple>

#include "server/connections/slot_credentials.h"

namespace torqued::server {

namespace {

/// Empty where the call has no such property.
std::string_view Property(const grpc::AuthContext* context, const char* name) {
  if (context == nullptr) return {};  // of no call
  const auto values = context->FindPropertyValues(name);
  if (values.empty()) return {};
  return {values.front().data(), values.front().size()};
}

/// 0 where the call has no such property.
std::uint64_t Number(const grpc::ServerContextBase& context, const char* name) {
  const auto shown = context.auth_context();
  const std::string_view text = Property(shown.get(), name);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void AbortSocket(int descriptor) {
  sockaddr none{};
  none.sa_family = AF_UNSPEC;
  // Where it fails, the socket is shut down in order instead of reset.
  std::ignore = connect(descriptor, &none, sizeof none);
  shutdown(descriptor, SHUT_RDWR);
}

bool AreSameSocket(int a, int b) {
  struct stat of_a{}, of_b{};
  return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 &&
         of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
}

ConnectionId ConnectionOf(const grpc::ServerContextBase& context) {
  return Number(context, kConnectionProperty);
}

std::uint64_t HostNumberOf(const grpc::ServerContextBase& context) {
  return Number(context, kHostProperty);
}

std::string PeerOf(const grpc::ServerContextBase& context) {
  const auto shown = context.auth_context();
  const std::string_view client = Property(shown.get(), kClientProperty);
  return client.empty() ? context.peer() : std::string(client);
}

}  // namespace torqued::server
