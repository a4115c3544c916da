// Text within XML.
#pragma once

#include <string>
#include <string_view>

namespace torqued::cli {

/// For elements and for attributes in double quotes, of XML and of HTML.
/// ASCII control characters, which XML does not have, become blanks; others
/// that steer are shown as "\u202e"; what is no UTF-8 becomes U+FFFD.
std::string EscapedXml(std::string_view text);
/// The same, but ends of lines stay.
std::string LinesXml(const std::string& text);

}  // namespace torqued::cli
