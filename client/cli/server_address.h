// The address of --server, as people shorten it.
#pragma once

#include <string>

namespace torqued::cli {

/// What torqued listens on unless told otherwise.
inline constexpr int kDefaultPort = 7421;

/// HOST, [IPV6] and IPV6 get the default port, for which gRPC would take that
/// of HTTPS. All else stays: HOST:PORT, unix:PATH, names with a scheme.
std::string WithDefaultPort(const std::string& address);

/// Why no server can be at an address that has its port; empty when one can.
std::string AddressProblem(const std::string& address);

}  // namespace torqued::cli
