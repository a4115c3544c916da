// Where a listing goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torqued::server {

/// Opaque to callers. It holds the last name listed and not a position, so
/// names that come or go between two pages neither repeat nor hide others.
std::string EncodePageToken(std::string_view last_name);

/// Nothing for a text that EncodePageToken did not write.
std::optional<std::string> DecodePageToken(std::string_view token);

}  // namespace torqued::server
