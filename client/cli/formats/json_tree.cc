#include "client/cli/formats/json_tree.h"

#include <set>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

nlohmann::ordered_json ParseJsonText(std::string_view text, int depth,
                                     const std::string& name) {
  using Json = nlohmann::ordered_json;
  using Event = Json::parse_event_t;
  // Members of the objects that are open.
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int level, Event event, Json& parsed) {
    if (level > depth) throw DataError(name, "is nested too deeply");
    if (event == Event::object_start) members.emplace_back();
    if (event == Event::object_end) members.pop_back();
    if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!members.back().insert(key).second) {
        throw DataError(name,
                        "'" + PlainText(key, 128) + "' stands there twice");
      }
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw DataError(name, "is not JSON: " + PlainText(error.what(), 300));
  }
}

}  // namespace torqued::cli
