#include "client/cli/formats/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/utf8.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

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

/// Puts the tree together from what the parser finds.
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
    if (IsKeyNext()) {
      Open& open = open_.back();
      if (open.value.contains(value)) {
        Fail(mark, "key '" + PlainText(value, 40) + "' stands twice");
      }
      open.key = value;
      open.has_key = true;
      return;
    }
    Add(mark, Scalar(tag, value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&,
                       YAML::anchor_t, YAML::EmitterStyle::value) override {
    Begin(mark, Json::array());
  }
  void OnSequenceEnd() override { End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Begin(mark, Json::object());
  }
  void OnMapEnd() override { End(); }

 private:
  struct Open {
    Json value;
    YAML::Mark mark;
    std::string key = {};
    bool has_key = false;
  };

  [[noreturn]] void Fail(const YAML::Mark& mark,
                         const std::string& problem) const {
    throw DataError(name_ + ":" + std::to_string(mark.line + 1), problem);
  }

  bool IsKeyNext() const {
    return !open_.empty() && open_.back().value.is_object() &&
           !open_.back().has_key;
  }

  void Begin(const YAML::Mark& mark, Json empty) {
    if (IsKeyNext()) Fail(mark, "a key is no single word");
    if (open_.size() == depth_) Fail(mark, "is nested too deeply");
    open_.push_back({std::move(empty), mark});
  }

  void End() {
    Open done = std::move(open_.back());
    open_.pop_back();
    Add(done.mark, std::move(done.value));
  }

  void Add(const YAML::Mark& mark, Json value) {
    if (open_.empty()) {
      if (value.is_null()) return;
      if (!document_.is_null()) Fail(mark, "a second document begins");
      document_ = std::move(value);
      return;
    }
    Open& open = open_.back();
    if (open.value.is_array()) {
      open.value.push_back(std::move(value));
      return;
    }
    if (!open.has_key) Fail(mark, "a key is no single word");
    open.value.emplace(std::move(open.key), std::move(value));
    open.has_key = false;
  }

  const std::size_t depth_;
  const std::string& name_;
  std::vector<Open> open_;
  Json document_;
};

/// What the parser complains of, and how to say it to people.
struct Fault {
  std::string_view parser;
  std::string_view words;
};
/// Empty: nothing that helps more than the place does.
std::string_view WordsFor(const std::string& complaint) {
  static const std::array kFaults = {
      Fault{YAML::ErrorMsg::END_OF_SEQ_FLOW,
            "a list in brackets lacks a comma or its ']'"},
      Fault{YAML::ErrorMsg::END_OF_MAP_FLOW,
            "a map in braces lacks a comma or its '}'"},
      Fault{YAML::ErrorMsg::FLOW_END, "a bracket or brace closes nothing"},
      Fault{YAML::ErrorMsg::END_OF_SEQ,
            "this does not fit the list before it; look at its indentation"},
      Fault{YAML::ErrorMsg::END_OF_MAP,
            "this does not fit the keys before it; look at its indentation"},
      Fault{YAML::ErrorMsg::BLOCK_ENTRY, "no list can begin with this '-'"},
      Fault{YAML::ErrorMsg::MAP_KEY, "no key can stand here"},
      Fault{YAML::ErrorMsg::MAP_VALUE, "no value can follow this ':'"},
      Fault{YAML::ErrorMsg::TAB_IN_INDENTATION,
            "a tab indents the line; use spaces"},
      Fault{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed"},
      Fault{YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed"},
      Fault{YAML::ErrorMsg::INVALID_ESCAPE,
            "the text in quotes has an escape that YAML does not know"},
      Fault{YAML::ErrorMsg::UNKNOWN_TOKEN,
            "a word cannot begin with this character; put it in quotes"}};
  for (const Fault& fault : kFaults) {
    // Some complaints go on with the character.
    if (complaint.starts_with(fault.parser)) return fault.words;
  }
  return {};
}

[[noreturn]] void FailParsing(const YAML::Exception& error,
                              const std::string& name) {
  if (error.mark.is_null()) throw DataError(name, "is not YAML");
  std::string problem =
      "is not YAML at column " + std::to_string(error.mark.column + 1);
  const std::string_view words = WordsFor(error.msg);
  if (!words.empty()) problem.append(": ").append(words);
  throw DataError(name + ":" + std::to_string(error.mark.line + 1), problem);
}

/// The parser takes some of it for the end, and never comes to one: control
/// characters, of which YAML has three, and bytes that are no UTF-8.
void RefuseWhatIsNoText(std::string_view text, const std::string& name) {
  if (!IsUtf8(text)) throw DataError(name, "is not YAML: it is no UTF-8");
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    if (static_cast<unsigned char>(c) < 0x20 && !blank) {
      throw DataError(name + ":" + std::to_string(line),
                      "is not YAML: it has a control character");
    }
  }
}

}  // namespace

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
    FailParsing(error, name);
  }
  return builder.Take();
}

}  // namespace torqued::cli
