// UTF-8, and code points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// Of any bytes: what is no UTF-8 becomes U+FFFD.
std::vector<std::uint32_t> CodePoints(std::string_view text);

/// Whether all of it is UTF-8.
bool IsUtf8(std::string_view text);

/// Whether a terminal or a page acts on the character instead of showing it: a
/// control, a separator of lines, or one that turns the direction of the text
/// beside it. The server's logs escape the same characters.
bool Steers(std::uint32_t code);

/// A number that is no code point becomes U+FFFD.
void AppendUtf8(std::uint32_t code, std::string* text);

}  // namespace torqued::cli
