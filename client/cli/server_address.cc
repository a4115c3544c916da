#include "client/cli/server_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>
#include <string_view>

namespace torqued::cli {
namespace {

/// With or without the interface: "fe80::1%eth0".
bool IsIpv6(const std::string& text) {
  in6_addr unused{};
  return inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &unused) ==
         1;
}

bool IsPort(const std::string& text) {
  int port = 0;
  const char* begin = text.c_str();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, port);
  return error == std::errc{} && stop == end && port >= 1 && port <= 65535;
}

/// One of gRPC's own schemes, whose names it explains itself.
bool HasScheme(std::string_view address) {
  for (const std::string_view scheme :
       {"dns:", "ipv4:", "ipv6:", "unix-abstract:", "vsock:", "xds:"}) {
    if (address.starts_with(scheme)) return true;
  }
  return false;
}

}  // namespace

std::string WithDefaultPort(const std::string& address) {
  const std::string port = ":" + std::to_string(kDefaultPort);
  if (address.empty() || address.find('/') != std::string::npos) {
    return address;
  }
  if (address.front() == '[') {
    return address.back() == ']' ? address + port : address;
  }
  if (address.find(':') == std::string::npos) return address + port;
  // Without the brackets that a port needs.
  if (IsIpv6(address)) return "[" + address + "]" + port;
  return address;
}

std::string AddressProblem(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  std::string wrong =
      "needs HOST, HOST:PORT or unix:PATH, not '" + address + "'";
  if (address.starts_with(kUnix)) {
    const std::size_t length = address.size() - kUnix.size();
    if (length == 0) return wrong;
    return length <= kMaxPath ? ""
                              : "the path of a socket has at most " +
                                    std::to_string(kMaxPath) + " bytes";
  }
  if (HasScheme(address)) return {};
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 ||
      address.find('/') != std::string::npos) {
    return wrong;
  }
  return IsPort(address.substr(colon + 1))
             ? ""
             : wrong + ": a port is a number from 1 to 65535";
}

}  // namespace torqued::cli
