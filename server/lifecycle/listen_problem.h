#pragma once

#include <string>

namespace torqued::server {

/// Why the address cannot be listened on, as the system puts it; gRPC does not
/// say. Empty when it could be.
std::string ListenProblem(const std::string& address);

}  // namespace torqued::server
