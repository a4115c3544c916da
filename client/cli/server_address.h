// The address of --server.
#pragma once

#include <string>

namespace torqued::cli {

/// Why no server can be at an address that has its port; empty when one can.
std::string AddressProblem(const std::string& address);

}  // namespace torqued::cli
