// Options of both programs, and the messages about a command line that they
// refuse.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torqued::flags {

/// Restricts an option to names. The refusal lists these, or only the near ones
/// if there are more than 8 names.
CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> names);

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// Adds an option for the name of a value; `value` stays in place.
template <class T>
CLI::Option* AddChoice(CLI::App* app, const std::string& flag, T* value,
                       const Choices<T>& choices, const std::string& help) {
  const std::function<void(const std::string&)> set =
      [choices, value](const std::string& given) {
        for (const auto& [name, choice] : choices) {
          if (name == given) *value = choice;
        }
      };
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return OneOf(app->add_option_function(flag, set, help), std::move(names));
}

/// Restricts an option to whole numbers of a range, in decimal digits only: no
/// octal, no exponent. No `min` is negative.
CLI::Option* WholeNumber(CLI::Option* option, std::int64_t min,
                         std::int64_t max);
/// To decimal numbers of a range, in any notation.
CLI::Option* Number(CLI::Option* option, double min, double max);

/// Why `app` has refused the command line. The first unknown word that is near
/// to a flag or a command comes with that.
std::string Refusal(const CLI::App& app, const CLI::ParseError& error);

/// The help to read, "tool list --help": that of the command whose flag a
/// refusal begins with, else of the last command.
std::string HelpFor(const CLI::App& app, const std::string& refusal);

}  // namespace torqued::flags
