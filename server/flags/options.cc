#include "server/flags/options.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <type_traits>

#include "server/flags/near_names.h"

namespace torqued::flags {
namespace {

/// More names than a sentence lists where one of them is near.
constexpr std::size_t kFewNames = 8;

std::string Text(std::int64_t number) { return absl::StrCat(number); }
std::string Text(double number) { return absl::StrFormat("%.15g", number); }

template <class T>
CLI::Option* InRange(CLI::Option* option, const char* kind, T min, T max) {
  return option->check([=](const std::string& text) -> std::string {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool octal =
        std::is_integral_v<T> && text.size() > 1 && text.front() == '0';
    // NaN is in no range.
    const bool good = !octal && error == std::errc{} && stop == end &&
                      value >= min && value <= max;
    if (good) return {};
    return absl::StrCat("needs ", kind, " from ", Text(min), " to ", Text(max),
                        ", not '", text, "'");
  });
}

const CLI::App* Below(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? nullptr : given.front();
}

}  // namespace

CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> names) {
  option->type_name(absl::StrJoin(names, "|"));
  return option->check([names = std::move(names)](
                           const std::string& name) -> std::string {
    if (std::ranges::count(names, name) > 0) return {};
    const std::vector<std::string> near = NearNames(name, names);
    const bool lists = near.empty() || names.size() <= kFewNames;
    return (lists ? "needs " +
                        absl::StrJoin(names.begin(), names.end() - 1, ", ") +
                        " or " + names.back() + ", not '"
                  : "there is no '") +
           name + "'" + NameHint(near, {});
  });
}

CLI::Option* WholeNumber(CLI::Option* option, std::int64_t min,
                         std::int64_t max) {
  return InRange(option->type_name("N"), "a whole number", min, max);
}

CLI::Option* Number(CLI::Option* option, double min, double max) {
  return InRange(option->type_name("NUMBER"), "a number", min, max);
}

std::string Refusal(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    return error.what();
  }
  const CLI::App* last = &app;
  while (const CLI::App* below = Below(*last)) last = below;
  std::vector<std::string> words, flags, commands;
  for (const CLI::App* asked : {&app, last}) {
    for (const CLI::Option* option : asked->get_options()) {
      for (const auto& name : option->get_lnames()) flags.push_back(name);
      // It may have taken a misspelt command.
      if (option->get_positional()) words = option->results();
    }
  }
  for (const CLI::App* command : last->get_subcommands({})) {
    commands.push_back(command->get_name());
    for (const auto& name : command->get_aliases()) commands.push_back(name);
  }
  for (std::string& word : app.remaining(/*recurse=*/true)) {
    words.push_back(std::move(word));
  }
  for (const std::string& word : words) {
    const bool is_flag = word.starts_with("--");
    // The dashes, which all have, would make all of them near.
    std::vector<std::string> near =
        is_flag ? NearNames(word.substr(2, word.find('=') - 2), flags)
                : NearNames(word, commands);
    if (near.empty()) continue;
    if (is_flag) near.front().insert(0, "--");
    near.resize(1);
    return (is_flag ? "there is no flag '" : "there is no command '") + word +
           "'" + NameHint(near, {});
  }
  return error.what();
}

std::string HelpFor(const CLI::App& app, const std::string& refusal) {
  const std::string flag = refusal.substr(0, refusal.find(':'));
  const CLI::App* owner = &app;
  std::string command = app.get_name();
  while (!flag.starts_with("-") || !owner->get_option_no_throw(flag)) {
    owner = Below(*owner);
    if (owner == nullptr) break;
    command += " " + owner->get_name();
  }
  return command + " --help";
}

}  // namespace torqued::flags
