#pragma once

#include <string>
#include <vector>

namespace torqued::server {

/// Why the address cannot be listened on, as the system puts it; gRPC does not
/// say. Empty when it could be.
std::string ListenProblem(const std::string& address);

/// The first address that leads to where an earlier one leads, as far as that
/// shows without looking up names; empty when there is none. Ports chosen by
/// the system differ.
std::string RepeatedAddress(const std::vector<std::string>& addresses);

}  // namespace torqued::server
