// YAML as a tree of the kind that JSON has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace torqued::cli {

/// The one document of the text: an empty one behind it ("---") does not count,
/// a second one is an error. Plain scalars that are numbers become numbers,
/// "~", "null" and nothing become null, all others are strings. Anchors may
/// stand there, aliases are refused: they make little text large. At most
/// `depth` levels. Throws DataError with the line, and for text that is not
/// YAML with the column.
nlohmann::ordered_json ParseYaml(std::string_view text, int depth,
                                 const std::string& name);

}  // namespace torqued::cli
