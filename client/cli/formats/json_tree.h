// JSON and YAML from a file that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace torqued::cli {

/// At most `depth` levels; a member that stands twice in its object, of which
/// parsers keep the last in silence, is an error. Throws DataError naming
/// `name`, with the line and the column of text that is not JSON.
nlohmann::ordered_json ParseJsonText(std::string_view text, int depth,
                                     const std::string& name);

/// The one document of the text: an empty one behind it ("---") does not count,
/// a second one is an error. Plain scalars that are numbers become numbers,
/// "~", "null" and nothing become null, all others are strings. Anchors may
/// stand there, aliases are refused: they make little text large. Otherwise as
/// ParseJsonText.
nlohmann::ordered_json ParseYaml(std::string_view text, int depth,
                                 const std::string& name);

}  // namespace torqued::cli
