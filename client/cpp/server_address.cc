#include "client/cpp/server_address.h"

#include <arpa/inet.h>

namespace torqued::client {
namespace {

/// With or without the interface: "fe80::1%eth0".
bool IsIpv6(const std::string& host) {
  in6_addr unused{};
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &unused) ==
         1;
}

/// What stands behind the last colon may be a port: "::1:7421".
bool MayHavePort(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return address.find_first_not_of("0123456789", colon + 1) ==
             std::string::npos &&
         IsIpv6(address.substr(0, colon));
}

}  // namespace

std::string WithDefaultPort(const std::string& address) {
  std::string port(1, ':');
  port += std::to_string(kDefaultPort);
  if (address.empty() || address.find('/') != std::string::npos) {
    return address;
  }
  if (address.front() == '[') {
    return address.back() == ']' ? address + port : address;
  }
  if (address.find(':') == std::string::npos) return address + port;
  // Without the brackets that a port needs.
  if (IsIpv6(address) && !MayHavePort(address)) {
    return std::string("[").append(address).append("]").append(port);
  }
  return address;
}

}  // namespace torqued::client
