// Addresses of servers, as flags name them: "HOST:PORT", "[IPV6]:PORT" and
// "unix:PATH"; "tls:HOST:PORT" and "mtls:HOST:PORT" with TLS.
#pragma once

#include <string>
#include <string_view>

namespace torqued::flags {

/// The addresses that a flag takes.
struct AddressRules {
  /// As its complaints name it: "HOST:PORT or unix:PATH".
  std::string_view forms;
  /// 0: a port of the system's choice is one.
  int first_port = 1;
  /// Whether a server may ask clients for certificates there.
  bool mtls = false;
};

/// Why there can be nothing at the address, as far as its text tells; empty
/// when there can. gRPC itself takes a port modulo 65536.
std::string AddressProblem(std::string_view address, const AddressRules& rules);

enum class Security : unsigned char {
  kNone,
  kTls,   // clients may have certificates
  kMtls,  // clients must have certificates
};
Security SecurityOf(std::string_view address);
/// Without "tls:" or "mtls:".
std::string_view WithoutSecurity(std::string_view address);

/// Whether only this machine reaches it: a Unix socket, localhost, 127.*, ::1.
bool IsLocal(std::string_view address);

bool IsUnixAddress(std::string_view address);
/// The path of "unix:PATH" and "unix:///PATH", as gRPC reads them.
std::string_view SocketPath(std::string_view address);

/// With or without the interface: "fe80::1%eth0".
bool IsIpv6(std::string_view host);

}  // namespace torqued::flags
