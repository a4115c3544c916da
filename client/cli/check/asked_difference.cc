#include "client/cli/check/asked_difference.h"

#include <algorithm>
#include <set>

namespace torqued::cli {
namespace {

/// The member that names what an item of a list is for; empty: none does.
std::string NamingMember(const Json& item) {
  for (const char* const member : {"joint", "dof", "coordinate"}) {
    if (item.is_object() && item.contains(member)) return member;
  }
  return "";
}

/// Of a list for joints, which need not be in one order, an object by their
/// names; else the value as it is.
Json ByJoint(const Json& json) {
  if (!json.is_array() ||
      std::any_of(json.begin(), json.end(), [](const Json& item) {
        return NamingMember(item).empty();
      })) {
    return json;
  }
  Json joints = Json::object();
  for (Json item : json) {
    const std::string member = NamingMember(item);
    const auto name = item[member].get<std::string>();
    item.erase(member);
    joints[name] = std::move(item);
  }
  return joints;
}

std::string TextOf(const Json& json) {
  if (json.empty()) return "none";
  return json.is_string() ? json.get<std::string>() : json.dump();
}

void Compare(const Json& left, const Json& right, const std::string& path,
             std::vector<AskedDifference>* differences) {
  const Json before = ByJoint(left);
  const Json after = ByJoint(right);
  // The revision says which model it was. The order of members does not count.
  if (nlohmann::json(before) == nlohmann::json(after) ||
      path == "asked.model") {
    return;
  }
  if (!before.is_object() || !after.is_object()) {
    differences->push_back({path, TextOf(before), TextOf(after)});
    return;
  }
  std::set<std::string> members;
  for (const Json* json : {&before, &after}) {
    for (const auto& [member, value] : json->items()) members.insert(member);
  }
  for (const std::string& member : members) {
    Compare(before.value(member, Json()), after.value(member, Json()),
            path.empty() ? member : path + "." + member, differences);
  }
}

}  // namespace

std::vector<AskedDifference> AskedDifferences(const Json& before,
                                              const Json& after) {
  std::vector<AskedDifference> differences;
  Compare(before, after, "", &differences);
  return differences;
}

std::vector<std::string> DifferentMembers(
    const std::vector<AskedDifference>& differences) {
  constexpr std::string_view kAsked = "asked.";
  std::vector<std::string> members;
  for (const auto& [what, before, after] : differences) {
    const std::size_t begin = what.starts_with(kAsked) ? kAsked.size() : 0;
    std::string member = what.substr(0, what.find('.', begin));
    if (members.empty() || members.back() != member) {
      members.push_back(std::move(member));
    }
  }
  return members;
}

}  // namespace torqued::cli
