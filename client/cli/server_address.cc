#include "client/cli/server_address.h"

#include <arpa/inet.h>

namespace torqued::cli {
namespace {

/// With or without the interface: "fe80::1%eth0".
bool IsIpv6(const std::string& text) {
  in6_addr unused{};
  return inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &unused) ==
         1;
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

}  // namespace torqued::cli
