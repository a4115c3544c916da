#include "server/flags/refusals.h"

#include <algorithm>
#include <string_view>

#include "server/flags/near_names.h"

namespace torqued::flags {
namespace {

/// More names than a sentence lists where one of them is near.
constexpr std::size_t kFewNames = 8;

/// The program and the commands that were given, each below the one before.
std::vector<const CLI::App*> Given(const CLI::App& app) {
  std::vector<const CLI::App*> given = {&app};
  for (auto below = app.get_subcommands(); !below.empty();
       below = given.back()->get_subcommands()) {
    given.push_back(below.front());
  }
  return given;
}

/// What is left over, in the order of the command line.
std::vector<std::string> Unexpected(const std::vector<const CLI::App*>& given) {
  std::vector<std::string> words;
  // What a command does not know falls through to the one above it, which is
  // not what was asked for.
  for (std::size_t k = 1; k + 1 < given.size(); ++k) {
    for (const CLI::Option* option : given[k]->get_options()) {
      if (option->count() == 0) continue;
      if (option->get_positional()) {
        const auto& results = option->results();
        words.insert(words.end(), results.begin(), results.end());
      } else {
        words.push_back(option->get_name());
      }
    }
  }
  const std::vector<std::string> rest =
      given.front()->remaining(/*recurse=*/true);
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

bool IsFlag(std::string_view word) {
  return word.starts_with("--") && word.size() > 2;
}

/// The word that stands where a command of `app` could; empty: none does.
std::string WordOfCommand(const CLI::App& app,
                          const std::vector<std::string>& words) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() && option->count() > 0) {
      return option->results().front();
    }
  }
  const auto word = std::find_if(
      words.begin(), words.end(),
      [](const std::string& text) { return !text.starts_with('-'); });
  return word == words.end() ? "" : *word;
}

bool HasPositionals(const CLI::App& app) {
  const auto options = app.get_options();
  return std::any_of(
      options.begin(), options.end(),
      [](const CLI::Option* option) { return option->get_positional(); });
}

/// The sentence about a word that stands in the place of a command and names
/// none. Empty: no word of `words` stands there, or it may be an argument.
std::string CommandProblem(const CLI::App& app, bool is_program,
                           const std::vector<std::string>& words) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands.push_back(command->get_name());
    const auto& others = command->get_aliases();
    commands.insert(commands.end(), others.begin(), others.end());
  }
  const std::string word = WordOfCommand(app, words);
  if (commands.empty() || word.empty()) return {};
  const std::vector<std::string> near = NearNames(word, commands);
  const bool takes_words = is_program || HasPositionals(app);
  if (near.empty() && takes_words) return {};
  return (is_program ? "there is no command '"
                     : app.get_name() + " has no command '") +
         word + "'" + NameHint(near, commands);
}

/// The end of a sentence about words that were not expected.
std::string FlagHint(const std::vector<const CLI::App*>& given,
                     const std::vector<std::string>& words) {
  const auto word = std::find_if(words.begin(), words.end(), IsFlag);
  if (word == words.end()) return {};
  std::vector<std::string> flags;
  for (const CLI::App* app : {given.front(), given.back()}) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const std::string flag = "--" + name;
        if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
          flags.push_back(flag);
        }
      }
    }
  }
  std::vector<std::string> names;
  names.reserve(flags.size());
  // The dashes, which all have, would make all of them near.
  for (const std::string& flag : flags) names.push_back(flag.substr(2));
  std::vector<std::string> near =
      NearNames(word->substr(2, word->find('=') - 2), names);
  for (std::string& name : near) name.insert(0, "--");
  return near.empty() ? "" : NameHint(near, flags);
}

std::string ExtrasProblem(const std::vector<const CLI::App*>& given) {
  const std::vector<std::string> words = Unexpected(given);
  const CLI::App& last = *given.back();
  std::string problem = CommandProblem(last, given.size() == 1, words);
  if (!problem.empty()) return problem;
  return std::string(words.size() == 1 ? "an argument was not expected: "
                                       : "arguments were not expected: ") +
         CLI::detail::join(words, " ") + FlagHint(given, words);
}

/// The option that a sentence of CLI11 begins with, or null.
const CLI::Option* OptionOf(const std::vector<const CLI::App*>& given,
                            std::string_view sentence, const CLI::App** owner) {
  const std::string name(sentence.substr(0, sentence.find_first_of(": ")));
  for (auto app = given.rbegin(); app != given.rend(); ++app) {
    if (const CLI::Option* option = (*app)->get_option_no_throw(name)) {
      *owner = *app;
      return option;
    }
  }
  return nullptr;
}

/// What CLI11 says of too many values, of none, and of what is no number, in
/// other words.
std::string ValuesProblem(const std::vector<const CLI::App*>& given,
                          std::string sentence) {
  constexpr std::string_view kTooMany = ": At Most 1 required but received ";
  constexpr std::string_view kNone = ": 1 required ";
  constexpr std::string_view kConversion = "Could not convert: ";
  if (const auto at = sentence.find(kTooMany); at != std::string::npos) {
    return sentence.substr(0, at) + ": takes one value, not " +
           sentence.substr(at + kTooMany.size());
  }
  const auto none = sentence.find(kNone);
  if (none != std::string::npos && sentence.ends_with(" missing")) {
    return sentence.substr(0, none) + ": needs a value";
  }
  if (!sentence.starts_with(kConversion)) return sentence;
  sentence.erase(0, kConversion.size());
  const auto equals = sentence.find(" = ");
  if (equals == std::string::npos) return sentence;
  const CLI::App* unused = nullptr;
  const CLI::Option* option = OptionOf(given, sentence, &unused);
  const bool is_flag =
      option != nullptr && option->get_items_expected_max() == 0;
  return sentence.substr(0, equals) +
         (is_flag ? ": takes no value, not '" : ": needs a number, not '") +
         sentence.substr(equals + 3) + "'";
}

}  // namespace

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
        const std::vector<std::string> near = NearNames(name, names);
        const std::string hint = near.empty() ? "" : NameHint(near, names);
        if (!near.empty() && names.size() > kFewNames) {
          return "there is no '" + name + "'" + hint;
        }
        return "needs " + list + ", not '" + name + "'" + hint;
      },
      ""));
}

std::string Refusal(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> given = Given(app);
  return dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr
             ? ValuesProblem(given, error.what())
             : ExtrasProblem(given);
}

std::string HelpFor(const CLI::App& app, std::string_view refusal) {
  const std::vector<const CLI::App*> given = Given(app);
  const CLI::App* owner = given.back();
  OptionOf(given, refusal, &owner);
  std::string command;
  for (const CLI::App* part : given) {
    command += part->get_name() + " ";
    if (part == owner) break;
  }
  return command + "--help";
}

}  // namespace torqued::flags
