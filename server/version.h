#pragma once

#include <string_view>

namespace torqued::server {

/// "0.1.0"
std::string_view Version();

}  // namespace torqued::server
