#include "client/cli/formats/json_tree.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/utf8.h"
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
  } catch (const Json::parse_error& error) {
    // Bytes count from 1; the one behind the last is the end.
    const std::string_view before =
        text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    throw DataError(name + ":" + std::to_string(line),
                    "is not JSON at column " + std::to_string(column) +
                        (IsUtf8(text) ? "" : ": it is no UTF-8"));
  } catch (const Json::exception&) {
    throw DataError(name, "has a number that no double holds");
  }
}

}  // namespace torqued::cli
