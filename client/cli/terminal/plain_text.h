// Text from files and servers, for a person's terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torqued::cli {

/// Control characters, which could steer a terminal, become '?'; beyond
/// `max_bytes` the rest becomes "...". Letters beyond ASCII stay, and are not
/// cut apart.
std::string PlainText(std::string_view text,
                      std::size_t max_bytes = std::string_view::npos);

}  // namespace torqued::cli
