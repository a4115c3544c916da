// Text within XML.
#pragma once

#include <string>
#include <string_view>

namespace torqued::cli {

/// For elements and for attributes in double quotes. Control characters, which
/// XML does not have, become blanks.
std::string EscapedXml(std::string_view text);

}  // namespace torqued::cli
