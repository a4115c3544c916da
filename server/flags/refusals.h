// What a command line that CLI11 refuses is told.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torqued::flags {

/// Restricts an option to names: "needs table, json or csv, not 'jason'; did
/// you mean json?". Of more than 8 names those that are near are told alone.
CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> names);

/// Values and their names, in the order in which they are told.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// The same for the name of a value, which `value`, staying in place, receives.
template <class T>
CLI::Option* OneOf(CLI::Option* option, const Choices<T>& choices, T* value) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  OneOf(option, std::move(names));
  return option->each([choices, value](const std::string& name) {
    for (const auto& choice : choices) {
      if (choice.first == name) *value = choice.second;
    }
  });
}

/// Adds such an option.
template <class T>
CLI::Option* AddChoice(CLI::App* app, const std::string& flag, T* value,
                       const Choices<T>& choices, const std::string& help) {
  // What is given goes to `value` alone.
  const std::function<void(const std::string&)> ignore = [](const auto&) {};
  return OneOf(app->add_option_function(flag, ignore, help), choices, value);
}

/// Why `app` has refused the command line, in one sentence. Names words that
/// were not expected, and the commands and flags that they may have meant.
std::string Refusal(const CLI::App& app, const CLI::ParseError& error);

/// Where to read more, "tool list --help": of the command whose option a
/// refusal begins with, else of the last one that was given.
std::string HelpFor(const CLI::App& app, std::string_view refusal);

}  // namespace torqued::flags
