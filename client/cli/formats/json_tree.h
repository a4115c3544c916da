// JSON from a file that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace torqued::cli {

/// At most `depth` levels; a member that stands twice in its object, of which
/// parsers keep the last in silence, is an error. Throws DataError naming
/// `name`.
nlohmann::ordered_json ParseJsonText(std::string_view text, int depth,
                                     const std::string& name);

}  // namespace torqued::cli
