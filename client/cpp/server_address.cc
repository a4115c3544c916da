#include "client/cpp/server_address.h"

#include "server/flags/address.h"

namespace torqued::client {

std::string WithDefaultPort(const std::string& address) {
  const std::string place(flags::WithoutSecurity(address));
  const std::string security = address.substr(0, address.size() - place.size());
  const std::string port = ":" + std::to_string(kDefaultPort);
  const std::size_t colon = place.rfind(':');
  if (place.empty() || place.find('/') != std::string::npos) return address;
  if (colon == std::string::npos || (place[0] == '[' && place.back() == ']')) {
    return address + port;
  }
  // What stands behind the last colon may be a port: "::1:7421".
  const bool may_have_port =
      place.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
      flags::IsIpv6(place.substr(0, colon));
  if (!flags::IsIpv6(place) || may_have_port) return address;
  return security + "[" + place + "]" + port;
}

}  // namespace torqued::client
