#include "server/flags/refusals.h"

#include <algorithm>

namespace torqued::flags {

CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> names) {
  std::string list;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) list += k + 1 < names.size() ? ", " : " or ";
    list += names[k];
  }
  option->type_name(CLI::detail::join(names, "|"));
  return option->check(CLI::Validator(
      [names = std::move(names), list](const std::string& name) -> std::string {
        if (std::find(names.begin(), names.end(), name) != names.end()) {
          return {};
        }
        return "needs " + list + ", not '" + name + "'";
      },
      ""));
}

std::string Refusal(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    return error.what();
  }
  // CLI11 lists them from the last to the first.
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  return std::string(words.size() == 1 ? "an argument was not expected: "
                                       : "arguments were not expected: ") +
         CLI::detail::join(words, " ");
}

}  // namespace torqued::flags
