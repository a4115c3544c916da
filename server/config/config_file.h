// Files of settings, in TOML.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace torqued::server {

struct ConfigEntry {
  std::string key;  // "a.b" in a section
  std::vector<std::string> values;
  std::string place;  // "torqued.toml: line 3"
};

/// The entries of a file, or why it cannot be read.
std::variant<std::vector<ConfigEntry>, std::string> ReadConfigFile(
    const std::string& path);

/// A value as it stands in a file: a number, or a string in quotes.
std::string ConfigValue(const std::string& text);
/// A list of strings. One string is a list of itself.
std::string ConfigList(const std::vector<std::string>& texts);

}  // namespace torqued::server
