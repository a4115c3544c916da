#include "server/flags/address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>

namespace torqued::flags {
namespace {

constexpr std::string_view kUnix = "unix:", kTls = "tls:", kMtls = "mtls:";
constexpr int kLastPort = 65535;
constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsPort(std::string_view text, int first) {
  int port = -1;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return std::to_string(port) == text && port >= first && port <= kLastPort;
}

std::string HostProblem(std::string_view host) {
  const std::string name(host);
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string_view inner = host.substr(1, host.size() - 2);
    return IsIpv6(inner) ? "" : name + " is not an IPv6 address";
  }
  if (IsIpv6(host)) return "an IPv6 address needs brackets";
  if (host.find_first_of(":[] \t/") != std::string_view::npos) {
    return "'" + name + "' is not a host";
  }
  return {};
}

}  // namespace

Security SecurityOf(std::string_view address) {
  if (address.starts_with(kTls)) return Security::kTls;
  return address.starts_with(kMtls) ? Security::kMtls : Security::kNone;
}

std::string_view WithoutSecurity(std::string_view address) {
  if (address.starts_with(kTls)) return address.substr(kTls.size());
  return address.starts_with(kMtls) ? address.substr(kMtls.size()) : address;
}

bool IsLocal(std::string_view address) {
  const std::string_view place = WithoutSecurity(address);
  if (IsUnixAddress(place)) return true;
  const std::string_view host = place.substr(0, place.rfind(':'));
  // Not names that begin like a number: 127.example.
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::string AddressProblem(std::string_view address,
                           const AddressRules& rules) {
  std::string wrong = "needs " + std::string(rules.forms) + ", not '" +
                      std::string(address) + "'";
  const Security security = SecurityOf(address);
  if (security == Security::kMtls && !rules.mtls) return wrong;
  address = WithoutSecurity(address);
  if (IsUnixAddress(address)) {
    if (security != Security::kNone) return wrong;
    const std::string_view path = SocketPath(address);
    if (path.size() > kMaxPath) {
      return "the path of a socket has at most " + std::to_string(kMaxPath) +
             " bytes";
    }
    if (path.find('%') != std::string_view::npos) {
      return "the path of a socket must not contain '%', which gRPC decodes";
    }
    return path.empty() ? wrong : "";
  }
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong;
  const std::string host = HostProblem(address.substr(0, colon));
  if (!host.empty()) return wrong + ": " + host;
  if (!IsPort(address.substr(colon + 1), rules.first_port)) {
    return wrong + ": a port is a number from " +
           std::to_string(rules.first_port) + " to " +
           std::to_string(kLastPort);
  }
  return {};
}

bool IsUnixAddress(std::string_view address) {
  return address.starts_with(kUnix);
}

std::string_view SocketPath(std::string_view address) {
  address.remove_prefix(kUnix.size());
  if (address.starts_with("///")) address.remove_prefix(2);
  return address;
}

bool IsIpv6(std::string_view host) {
  in6_addr unused{};
  const std::string digits(host.substr(0, host.find('%')));
  return inet_pton(AF_INET6, digits.c_str(), &unused) == 1;
}

}  // namespace torqued::flags
