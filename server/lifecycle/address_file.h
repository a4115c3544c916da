// Tells scripts where the server listens and that it serves.
#pragma once

#include <string>
#include <vector>

namespace torqued::server {

/// Writes one address a line. Readers see the whole file or none of it. Returns
/// what went wrong, or nothing.
std::string WriteAddressFile(const std::string& path,
                             const std::vector<std::string>& addresses);

}  // namespace torqued::server
