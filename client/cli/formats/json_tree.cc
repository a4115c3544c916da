#include "client/cli/formats/json_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

/// `said`: as both parsers say it, "... at line 3, column 7: what is wrong".
[[noreturn]] void FailParsing(const std::string& said, const char* language,
                              const std::string& name) {
  static const std::regex kPlace("line ([0-9]+), column ([0-9]+): ");
  const std::string problem = std::string("is not ") + language;
  std::smatch place;
  if (!std::regex_search(said, place, kPlace)) {
    throw DataError(name, problem + ": " + PlainText(said, 200));
  }
  throw DataError(name + ":" + place[1].str(),
                  problem + " at column " + place[2].str() + ": " +
                      PlainText(place.suffix().str(), 200));
}

[[noreturn]] void FailTwice(const std::string& key, const std::string& place) {
  throw DataError(place, "'" + PlainText(key, 128) + "' stands there twice");
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
    const bool is_key =
        !open_.empty() && open_.back().tree->is_object() && !open_.back().key;
    if (!is_key) {
      Add(mark, Scalar(tag, value));
      return;
    }
    if (open_.back().tree->contains(value)) FailTwice(value, Place(mark));
    open_.back().key = value;
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
    std::optional<std::string> key = {};  // of the value that comes next
  };

  std::string Place(const YAML::Mark& mark) const {
    return name_ + ":" + std::to_string(mark.line + 1);
  }
  [[noreturn]] void Fail(const YAML::Mark& mark, const char* problem) const {
    throw DataError(Place(mark), problem);
  }

  void Open(const YAML::Mark& mark, Json empty) {
    if (open_.size() == depth_) Fail(mark, "the text is nested too deeply");
    open_.push_back({Add(mark, std::move(empty))});
  }

  Json* Add(const YAML::Mark& mark, Json value) {
    if (open_.empty()) {
      if (!document_.is_null() && !value.is_null()) {
        Fail(mark, "a second document begins");
      }
      if (document_.is_null()) document_ = std::move(value);
      return &document_;
    }
    auto& [tree, key] = open_.back();
    if (tree->is_array()) return &tree->emplace_back(std::move(value));
    if (!key) Fail(mark, "a key is no single word");
    Json& place = (*tree)[*std::exchange(key, std::nullopt)];
    place = std::move(value);
    return &place;
  }

  const std::size_t depth_;
  const std::string& name_;
  std::vector<Level> open_;
  Json document_;
};

/// The parser of YAML takes some of it for the end, and never comes to one:
/// control characters, of which YAML has three, and bytes that are no UTF-8.
void RefuseWhatIsNoText(std::string_view text, const std::string& name) {
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    return static_cast<unsigned char>(c) < 0x20 && !blank;
  });
  const std::size_t bad = std::min(
      FindInvalidUtf8(text), static_cast<std::size_t>(control - text.begin()));
  if (bad == text.size()) return;
  const auto lines = std::count(text.begin(), text.begin() + bad, '\n');
  throw DataError(name + ":" + std::to_string(lines + 1),
                  "is not YAML: it has a control character, or bytes that are "
                  "no UTF-8");
}

}  // namespace

Json ParseJsonText(std::string_view text, int depth, const std::string& name) {
  using Event = Json::parse_event_t;
  // Members of the objects that are open.
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int level, Event event, Json& parsed) {
    if (level > depth) throw DataError(name, "the text is nested too deeply");
    if (event == Event::object_start) members.emplace_back();
    if (event == Event::object_end) members.pop_back();
    if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!members.back().insert(key).second) FailTwice(key, name);
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    // Behind "[json.exception.parse_error.101] ".
    const std::string said = error.what();
    FailParsing(said.substr(said.find(']') + 2), "JSON", name);
  }
}

Json ParseYaml(std::string_view text, int depth, const std::string& name) {
  RefuseWhatIsNoText(text, name);
  TreeBuilder builder(depth, name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // Of some texts that are no YAML the parser finds empty documents for ever.
    constexpr int kMaxDocuments = 16;
    for (int k = 0; parser.HandleNextDocument(builder); ++k) {
      if (k == kMaxDocuments)
        throw DataError(name, "is not YAML: it has no end");
    }
  } catch (const YAML::Exception& error) {
    FailParsing(error.what(), "YAML", name);
  }
  return builder.Take();
}

}  // namespace torqued::cli
