#include "client/cli/server_address.h"

#include <algorithm>

namespace torqued::cli {

std::string WithDefaultPort(const std::string& address) {
  const std::string port = ":" + std::to_string(kDefaultPort);
  if (address.empty() || address.find('/') != std::string::npos) {
    return address;
  }
  if (address.front() == '[') {
    return address.back() == ']' ? address + port : address;
  }
  switch (std::count(address.begin(), address.end(), ':')) {
    case 0:
      return address + port;
    case 1:  // HOST:PORT, unix:PATH
      return address;
    default:  // an IPv6 address without the brackets that a port would need
      return "[" + address + "]" + port;
  }
}

}  // namespace torqued::cli
