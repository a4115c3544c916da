#include "client/cli/server_address.h"

#include <string_view>

#include "server/flags/address.h"

namespace torqued::cli {
namespace {

/// One of gRPC's own schemes, whose names it explains itself.
bool HasScheme(std::string_view address) {
  for (const std::string_view scheme :
       {"dns:", "ipv4:", "ipv6:", "unix-abstract:", "vsock:", "xds:"}) {
    if (address.starts_with(scheme)) return true;
  }
  return false;
}

}  // namespace

std::string AddressProblem(const std::string& address) {
  if (HasScheme(address)) return {};
  return flags::AddressProblem(address,
                               {"HOST, HOST:PORT, tls:HOST:PORT or unix:PATH"});
}

}  // namespace torqued::cli
