#include "server/config/config_text.h"

#include <cstddef>
#include <set>

namespace torqued::server {
namespace {

std::string Problem(std::size_t line, std::string_view what) {
  return "line " + std::to_string(line) + ": " + std::string(what);
}

/// CLI11 takes the values of a key that stands twice for one list.
class Keys {
 public:
  /// A character of a line before its '='.
  void Add(char c) {
    if (c != ' ' && c != '\t' && c != '\r') key_ += c;  // of no key
  }
  /// At the '='; the key that has been there already, or nothing.
  std::string Take() {
    // CLI11 takes that for a comment as well.
    if (key_.starts_with(';') || seen_.insert(key_).second) return {};
    return key_;
  }
  void EndLine() { key_.clear(); }

 private:
  std::string key_;
  std::set<std::string> seen_;
};

}  // namespace

std::string CheckConfigText(std::string_view text) {
  std::size_t line = 1;
  std::size_t list_line = 0;  // where the open list begins; 0: none is open
  char quote = 0;             // the open one
  bool value = false;         // behind the line's '='
  bool comment = false;
  bool list_ended = false;  // on this line
  Keys keys;
  for (const char c : text) {
    if (c == '\n') {
      if (quote != 0) return Problem(line, "a quote is not closed");
      value = comment = list_ended = false;
      keys.EndLine();
      ++line;
      continue;
    }
    if (comment) continue;
    if (quote != 0) {
      if (c == '#') return Problem(line, "'#' cannot stand in quotes");
      if (c == quote) quote = 0;
      continue;
    }
    if (list_ended && c != ' ' && c != '\t' && c != '\r') {
      return Problem(line, "nothing, not even a comment, may follow a list");
    }
    const bool of_key = !value && list_line == 0 && c != '#';
    if (of_key && c != '=') keys.Add(c);
    if (of_key && c == '=') {
      const std::string twice = keys.Take();
      if (!twice.empty()) {
        return Problem(line, "key '" + twice + "' stands twice");
      }
    }
    switch (c) {
      case '"':
      case '\'':
        quote = c;
        break;
      case '#':
        comment = true;
        break;
      case '=':
        value = true;
        break;
      case '[':
        if (value && list_line == 0) list_line = line;
        break;
      case ']':
        list_ended = list_line != 0;
        list_line = 0;
        break;
      default:
        break;
    }
  }
  if (quote != 0) return Problem(line, "a quote is not closed");
  if (list_line != 0) return Problem(list_line, "a list is not closed");
  return {};
}

}  // namespace torqued::server
