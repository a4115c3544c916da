#pragma once

#include <string>
#include <string_view>

namespace torqued::server {

/// What CLI11's reader would take for something else in the text of a
/// configuration file, with its line; or nothing. Quotes and lists that are not
/// closed, comment signs inside quotes, what follows a list on its line, and
/// keys that stand twice.
std::string CheckConfigText(std::string_view text);

}  // namespace torqued::server
