#include "client/cpp/server_address.h"

#include <string_view>

#include "server/flags/address.h"

namespace torqued::client {
namespace {

using flags::IsIpv6;

/// What stands behind the last colon may be a port: "::1:7421".
bool MayHavePort(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return address.find_first_not_of("0123456789", colon + 1) ==
             std::string::npos &&
         IsIpv6(address.substr(0, colon));
}

}  // namespace

std::string WithDefaultPort(const std::string& address) {
  const std::string_view place = flags::WithoutSecurity(address);
  if (place.size() < address.size()) {
    return address.substr(0, address.size() - place.size()) +
           WithDefaultPort(std::string(place));
  }
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
