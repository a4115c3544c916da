#include "client/cli/error_report.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ostream>
#include <vector>

#include "client/cli/request_flags.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// "joint_names" and "[3].x" of "joint_names[3].x".
std::pair<std::string, std::string_view> Split(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".[:"), path.size());
  return {std::string(path.substr(0, end)), path.substr(end)};
}

}  // namespace

FlagNames::FlagNames(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto below = command->get_subcommands(); !below.empty();
       below = command->get_subcommands()) {
    command = below.front();
  }
  std::vector<const CLI::Option*> options = command->get_options();
  // The global flags.
  const std::vector<const CLI::Option*> global = app.get_options();
  options.insert(options.end(), global.begin(), global.end());
  for (const CLI::Option* option : options) {
    flags_.emplace(option->get_name(),
                   option->count() > 0 ? option->results().front() : "");
  }
}

std::string FlagNames::Flag(const std::string& name) const {
  std::string flag = FlagOf(name);
  if (flags_.contains(flag)) return flag;
  // The list external_wrenches stands in --external-wrenches-on-robot.
  const auto longer = flags_.lower_bound(flag + "-");
  if (longer != flags_.end() && longer->first.starts_with(flag + "-")) {
    return longer->first;
  }
  std::string word = name;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return flags_.contains(word) ? word : "";
}

std::string FlagNames::Of(std::string_view field) const {
  static const std::multimap<std::string, std::string> kFiles = {
      {"q", "--states"},      {"q", "FILE"},
      {"v", "--states"},      {"v", "FILE"},
      {"a", "--states"},      {"a", "FILE"},
      {"tau", "--states"},    {"source", "FILE"},
      {"drives", "--limits"}, {"position_limits", "--limits"}};
  std::string_view path = field;
  for (const std::string_view message : {"start.", "chunk.", "samples."}) {
    if (path.starts_with(message)) path.remove_prefix(message.size());
  }
  const auto [begin, end] = kFiles.equal_range(Split(path).first);
  for (auto file = begin; file != end; ++file) {
    const auto given = flags_.find(file->second);
    if (given == flags_.end() || given->second.empty()) continue;
    return given->second + (path == "source" ? "" : ": " + std::string(path));
  }
  while (!path.empty()) {
    auto [name, rest] = Split(path);
    std::string flag;
    if (rest.starts_with('.')) {
      const auto [member, behind] = Split(rest.substr(1));
      flag = Flag(std::string(name).append("_").append(member));
      if (!flag.empty()) return flag.append(behind);
    }
    if (rest == ".wrench") rest = {};  // the table of a tip wrench
    flag = Flag(name);
    if (!flag.empty()) {
      if (rest.starts_with('.'))
        return flag + " " + std::string(rest.substr(1));
      return flag.append(rest);
    }
    path = rest.starts_with('.') ? rest.substr(1) : std::string_view();
  }
  return std::string(field);
}

std::string ErrorLine(const client::Error& error, const FlagNames& names) {
  const client::Error::Details& details = error.details();
  std::string line = details.reason.empty() ? client::ToString(error.code())
                                            : PlainText(details.reason);
  std::string_view sentence = error.what();
  if (!details.field_violations.empty()) {
    const std::string& field = details.field_violations.front().field;
    line += " (" + PlainText(names.Of(field)) + ")";
    // Once is enough.
    if (sentence.starts_with(field + ": ")) {
      sentence.remove_prefix(field.size() + 2);
    }
  }
  return line + ": " + PlainText(sentence);
}

void PrintError(const client::Error& error, const FlagNames& names,
                std::ostream& out) {
  const client::Error::Details& details = error.details();
  out << "torquectl: " << ErrorLine(error, names) << "\n";

  if (!details.reason.empty()) {
    out << "  status: " << client::ToString(error.code()) << "\n";
  }
  for (const client::FieldViolation& violation : details.field_violations) {
    // One that repeats the sentence says nothing new.
    if (std::string_view(error.what()).ends_with(violation.description)) {
      continue;
    }
    out << "  " << PlainText(names.Of(violation.field)) << ": "
        << PlainText(violation.description) << "\n";
  }
  for (const auto& [key, value] : details.metadata) {
    out << "  " << PlainText(key) << " = " << PlainText(value) << "\n";
  }
  if (details.retry_delay) {
    out << "  try again after "
        << std::chrono::duration<double>(*details.retry_delay).count()
        << " s\n";
  }
}

}  // namespace torqued::cli
