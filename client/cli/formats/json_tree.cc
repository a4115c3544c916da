#include "client/cli/formats/json_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Twice(const std::string& key) {
  return Cat("'", Printable(key, 128), "' stands there twice");
}

Json Scalar(const std::string& tag, const std::string& value) {
  // "?": plain; "!": in quotes.
  if (tag != "?") return value;
  if (value.empty() || value == "~" || value == "null") return nullptr;
  if (const auto number = ParseNumber(value)) return *number;
  if (value == ".inf") return std::numeric_limits<double>::infinity();
  if (value == "-.inf") return -std::numeric_limits<double>::infinity();
  if (value == ".nan") return std::numeric_limits<double>::quiet_NaN();
  return value;
}

/// Puts the tree together from what the parser of YAML finds.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(int depth, const std::string& name)
      : depth_(static_cast<std::size_t>(depth)), name_(name) {}

  Json Take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Add(mark, nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Fail(mark, "aliases are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    if (open_.empty() || open_.back().tree->is_array() || open_.back().value) {
      Add(mark, Scalar(tag, value));
      return;
    }
    Level& map = open_.back();
    if (map.tree->contains(value)) Fail(mark, Twice(value));
    map.value = &(*map.tree)[value];
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&,
                       YAML::anchor_t, YAML::EmitterStyle::value) override {
    Open(mark, Json::array());
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, Json::object());
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Level {
    Json* tree;
    Json* value = nullptr;  // of the key that was read last
  };

  [[noreturn]] void Fail(const YAML::Mark& mark,
                         const std::string& problem) const {
    throw DataError(Cat(name_, ":", mark.line + 1), problem);
  }

  void Open(const YAML::Mark& mark, Json empty) {
    if (open_.size() == depth_) Fail(mark, "the text is nested too deeply");
    open_.push_back({Add(mark, std::move(empty))});
  }

  Json* Add(const YAML::Mark& mark, Json value) {
    Json* place = &document_;
    if (!open_.empty() && open_.back().tree->is_array()) {
      place = &open_.back().tree->emplace_back();
    } else if (!open_.empty()) {
      place = std::exchange(open_.back().value, nullptr);
      if (place == nullptr) Fail(mark, "a key is no single word");
    } else if (!document_.is_null()) {
      if (value.is_null()) return place;  // an empty document
      Fail(mark, "a second document begins");
    }
    *place = std::move(value);
    return place;
  }

  const std::size_t depth_;
  const std::string& name_;
  std::vector<Level> open_;
  Json document_;
};

}  // namespace

Json ParseJsonText(std::string_view text, int depth, const std::string& name) {
  using Event = Json::parse_event_t;
  // Members of the objects that are open.
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int level, Event event, Json& parsed) {
    if (level > depth) throw DataError(name, "the text is nested too deeply");
    if (event == Event::object_start) members.emplace_back();
    if (event == Event::object_end) members.pop_back();
    if (event == Event::key &&
        !members.back().insert(parsed.get<std::string>()).second) {
      throw DataError(name, Twice(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    // Behind "[json.exception.parse_error.101] ".
    const std::string said = error.what();
    throw DataError(name, "is not JSON: " +
                              Printable(said.substr(said.find(']') + 2), 200));
  }
}

Json ParseYaml(std::string_view text, int depth, const std::string& name) {
  // Of some texts that are no YAML the parser finds empty documents for ever,
  // or never comes to an end.
  const bool has_controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
           c != '\t';
  });
  if (has_controls || FindInvalidUtf8(text) != std::string_view::npos) {
    throw DataError(name,
                    "is not YAML: it has a control character, or bytes that "
                    "are no UTF-8");
  }
  TreeBuilder builder(depth, name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    int documents = 0;
    while (parser.HandleNextDocument(builder)) {
      if (++documents > 16) throw DataError(name, "is not YAML: it has no end");
    }
  } catch (const YAML::Exception& error) {
    throw DataError(Cat(name, ":", error.mark.line + 1),
                    Cat("is not YAML at column ", error.mark.column + 1, ": ",
                        Printable(error.msg, 200)));
  }
  return builder.Take();
}

}  // namespace torqued::cli
