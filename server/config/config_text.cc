#include "server/config/config_text.h"

#include <cstddef>

namespace torqued::server {
namespace {

std::string Problem(std::size_t line, std::string_view what) {
  return "line " + std::to_string(line) + ": " + std::string(what);
}

}  // namespace

std::string CheckConfigText(std::string_view text) {
  std::size_t line = 1;
  std::size_t list_line = 0;  // where the open list begins; 0: none is open
  char quote = 0;             // the open one
  bool value = false;         // behind the line's '='
  bool comment = false;
  bool list_ended = false;  // on this line
  for (const char c : text) {
    if (c == '\n') {
      if (quote != 0) return Problem(line, "a quote is not closed");
      value = comment = list_ended = false;
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
