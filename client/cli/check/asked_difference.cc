#include "client/cli/check/asked_difference.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "client/cli/check/asked_words.h"

namespace torqued::cli {
namespace {

/// Members that AskedItems put into words.
constexpr std::array<const char*, 2> kInWords = {"asked", "inputs"};

std::vector<std::string> Members(const Json& before, const Json& after,
                                 const std::string& path) {
  std::set<std::string> members;
  for (const Json* json : {&before, &after}) {
    for (const auto& [member, value] : json->items()) members.insert(member);
  }
  std::vector<std::string> differences;
  for (const std::string& member : members) {
    const Json left = before.value(member, Json());
    const Json right = after.value(member, Json());
    if (left == right) continue;
    if (member == "asked" && left.is_object() && right.is_object()) {
      for (std::string& inner : Members(left, right, "asked.")) {
        // The revision says it.
        if (inner != "asked.model") differences.push_back(std::move(inner));
      }
    } else {
      differences.push_back(path + member);
    }
  }
  return differences;
}

std::vector<AskedItem> ItemsOf(const Json& question) {
  return AskedItems(StartFromJson(question.value("asked", Json::object())),
                    question.value("inputs", Json::object()));
}

/// Of an item that only the other one has.
std::string AbsentWords(const std::string& what) {
  return what.starts_with("limits of ")  ? "those of the model"
         : what.starts_with("drive of ") ? "that of the model"
                                         : "none";
}

std::string WordsOf(const std::vector<AskedItem>& items,
                    const std::string& what) {
  const auto found = std::find_if(
      items.begin(), items.end(),
      [&what](const AskedItem& item) { return item.what == what; });
  return found == items.end() ? AbsentWords(what) : found->words;
}

/// A name as it is, anything else as JSON has it.
std::string ValueWords(const Json& question, const std::string& member) {
  // Of a revision as much as the other reports show.
  constexpr std::size_t kRevision = 12;
  const auto found = question.find(member);
  if (found == question.end()) return "none";
  if (!found->is_string()) return found->dump();
  const auto text = found->get<std::string>();
  return member == "revision" ? text.substr(0, kRevision) : text;
}

/// What stands beside the request in a summary or a journal.
AskedDifference DifferenceOf(const Json& before, const Json& after,
                             const std::string& member) {
  const std::string what = member == "revision" ? "revision of the model"
                           : member == "server_version"
                               ? "version of the server"
                           : member == "duration" ? "duration [s]"
                                                  : member;
  return {what, ValueWords(before, member), ValueWords(after, member)};
}

}  // namespace

std::vector<std::string> DifferentMembers(const Json& before,
                                          const Json& after) {
  return Members(before, after, "");
}

std::vector<AskedDifference> DifferencesInWords(const Json& before,
                                                const Json& after) {
  std::vector<AskedDifference> differences;
  const std::vector<std::string> members = DifferentMembers(before, after);
  // As which it was asked for, too.
  const bool derivation = std::find(members.begin(), members.end(),
                                    "asked.derive") != members.end();
  std::vector<std::string> unsaid;
  for (const std::string& member : members) {
    const bool words =
        std::any_of(kInWords.begin(), kInWords.end(), [&](const char* name) {
          return member == name || member.starts_with(name + std::string("."));
        });
    if (words) {
      unsaid.push_back(member);
    } else if (member != "derived" || !derivation) {
      differences.push_back(DifferenceOf(before, after, member));
    }
  }
  if (unsaid.empty()) return differences;

  const std::vector<AskedItem> left = ItemsOf(before);
  const std::vector<AskedItem> right = ItemsOf(after);
  const std::size_t others = differences.size();
  const auto add = [&](const std::string& what) {
    const bool known = std::any_of(
        differences.begin(), differences.end(),
        [&what](const AskedDifference& d) { return d.what == what; });
    AskedDifference difference{what, WordsOf(left, what), WordsOf(right, what)};
    if (!known && difference.before != difference.after) {
      differences.push_back(std::move(difference));
    }
  };
  for (const AskedItem& item : left) add(item.what);
  for (const AskedItem& item : right) add(item.what);
  if (differences.size() > others) return differences;
  // What words are too short for: the numbers of a table, say.
  for (const std::string& member : unsaid) {
    differences.push_back({member, "", "other numbers"});
  }
  return differences;
}

}  // namespace torqued::cli
