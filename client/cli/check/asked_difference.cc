#include "client/cli/check/asked_difference.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "client/cli/check/asked_words.h"

namespace torqued::cli {
namespace {

constexpr const char* kOtherNumbers = "other numbers";

// What AskedItems puts into words.
constexpr std::array kAskedInItems = {
    "bounds",     "drives",
    "derating",   "merge_gap",
    "derive",     "tip_wrench_reference_frame",
    "model",      "operational_space",
    "consistent", "tables"};
constexpr std::array kOptionsInItems = {"payload",         "tip_frame",
                                        "reference_frame", "precision",
                                        "joint_names",     "encoding"};
constexpr std::array kTermsInItems = {"gravity", "viscous_friction",
                                      "coulomb_friction", "coulomb_smoothing"};
constexpr std::array kInputsInItems = {"wrench", "wrench_profile",
                                       "wrench_frame", "joints"};

bool IsInItems(const std::string& member) {
  return member == "inputs" || member == "asked" ||
         member.starts_with("asked.");
}

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
AskedItem AbsentItem(const AskedItem& other) {
  AskedItem item;
  item.what = other.what;
  item.words = "none";
  if (other.kind == AskedKind::kLimits) item.words = "those of the model";
  if (other.kind == AskedKind::kDrive) item.words = "that of the model";
  item.value = item.words;
  return item;
}

/// The item of that name, or what its absence means.
AskedItem Counterpart(const AskedItem& item,
                      const std::vector<AskedItem>& items) {
  const auto found = std::find_if(
      items.begin(), items.end(),
      [&item](const AskedItem& other) { return other.what == item.what; });
  return found == items.end() ? AbsentItem(item) : *found;
}

void AddDifference(const AskedItem& before, const AskedItem& after,
                   std::vector<AskedDifference>* differences) {
  if (before.words != after.words) {
    differences->push_back({before.what, before.words, after.words});
  } else if (before.value != after.value) {
    differences->push_back({before.what, before.words, kOtherNumbers});
  }
}

std::vector<AskedDifference> ItemDifferences(const Json& before,
                                             const Json& after) {
  std::vector<AskedDifference> differences;
  const std::vector<AskedItem> left = ItemsOf(before);
  const std::vector<AskedItem> right = ItemsOf(after);
  for (const AskedItem& item : left) {
    AddDifference(item, Counterpart(item, right), &differences);
  }
  for (const AskedItem& item : right) {
    const bool known = std::any_of(
        left.begin(), left.end(),
        [&item](const AskedItem& other) { return other.what == item.what; });
    if (!known) AddDifference(AbsentItem(item), item, &differences);
  }
  return differences;
}

/// What of a question no item stands for, as far as a newer version has more.
Json WithoutItems(const Json& question) {
  Json rest = {{"asked", question.value("asked", Json::object())},
               {"inputs", question.value("inputs", Json::object())}};
  const auto erase = [](Json* json, const auto& members) {
    if (!json->is_object()) return;
    for (const char* const member : members) json->erase(member);
  };
  Json& asked = rest["asked"];
  if (asked.is_object()) {
    if (asked.contains("options")) {
      Json& options = asked["options"];
      if (options.is_object() && options.contains("terms")) {
        erase(&options["terms"], kTermsInItems);
        if (options["terms"].empty()) options.erase("terms");
      }
      erase(&options, kOptionsInItems);
      if (options.empty()) asked.erase("options");
    }
    erase(&asked, kAskedInItems);
  }
  erase(&rest["inputs"], kInputsInItems);
  return rest;
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
  for (const std::string& member : members) {
    if (!IsInItems(member) && (member != "derived" || !derivation)) {
      differences.push_back(DifferenceOf(before, after, member));
    }
  }
  for (AskedDifference& difference : ItemDifferences(before, after)) {
    differences.push_back(std::move(difference));
  }
  for (const std::string& member :
       DifferentMembers(WithoutItems(before), WithoutItems(after))) {
    differences.push_back({member, "", kOtherNumbers});
  }
  if (!differences.empty()) return differences;
  // What has no effect, as the smoothing of a friction that is off.
  for (const std::string& member : members) {
    differences.push_back({member, "", kOtherNumbers});
  }
  return differences;
}

}  // namespace torqued::cli
