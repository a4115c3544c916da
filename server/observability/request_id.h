// Names a call across client, server and logs.
#pragma once

#include <string>
#include <string_view>

namespace torqued::server {

inline constexpr char kRequestIdKey[] = "x-request-id";

/// The caller's id if it is 1 to 128 printable ASCII characters without spaces,
/// else a new one: 16 hex digits.
std::string RequestIdFrom(std::string_view wanted);

}  // namespace torqued::server
