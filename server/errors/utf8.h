// Text for protobuf strings, which must be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torqued::server {

/// At most `max_bytes` bytes of valid UTF-8: bytes that are none become U+FFFD;
/// what does not fit is cut between characters and marked by "...". Needs
/// max_bytes >= 3.
std::string CleanText(std::string_view text, std::size_t max_bytes);

}  // namespace torqued::server
