#pragma once

#include <string_view>

namespace torqued::cli {

/// "major.minor.patch"
std::string_view Version();

}  // namespace torqued::cli
