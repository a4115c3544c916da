#include "core/formats/element_reader.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/base/text.h"

namespace torqued {
namespace {

using Names = std::initializer_list<std::string_view>;

bool Contains(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Levenshtein distance of two short words.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::array<std::size_t, 33> row;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// The end of a sentence: "; did you mean 'inertial'?" where a name is likely
// misspelt.
std::string Suggestion(std::string_view name, Names names, Names more = {}) {
  constexpr std::size_t kLongest = 32, kClose = 2;
  if (name.size() > kLongest || name.size() < 3) return ".";
  for (const Names& some : {names, more}) {
    for (const std::string_view candidate : some) {
      if (EditDistance(name, candidate) <= kClose && candidate.size() >= 3) {
        return Cat("; did you mean ", Quoted(candidate), "?");
      }
    }
  }
  return ".";
}

}  // namespace

void ElementReader::CheckChildren(Names expected, Names repeated) const {
  std::map<std::string_view, int> first_line;  // of each expected name
  for (const auto* node = element_.FirstChild(); node != nullptr;
       node = node->NextSibling()) {
    if (node->ToText() != nullptr) {
      ReportKind(LintCode::kIgnoredElement, node->GetLineNum(),
                 Cat("text in ", name()), " has the text ",
                 Quoted(node->Value()), " in <", name(),
                 ">, which is ignored; values belong in attributes.");
    }
    const auto* child = node->ToElement();
    if (child == nullptr) continue;
    const std::string_view child_name = child->Name();
    const int line = child->GetLineNum();
    if (Contains(repeated, child_name)) continue;
    if (Contains(expected, child_name)) {
      const auto [first, is_first] = first_line.try_emplace(child_name, line);
      if (is_first) continue;
      ReportKind(LintCode::kIgnoredElement, line,
                 Cat("second ", child_name, " in ", name()), " has a second <",
                 child_name, "> in <", name(),
                 ">, which is ignored; the one at line ", first->second,
                 " counts.");
    } else if (child_name.starts_with("xacro:")) {
      Report(LintCode::kXacroNotExpanded, line, " contains <",
             Printable(child_name, 64),
             ">; expand the file by xacro before it is loaded.");
    } else {
      ReportKind(LintCode::kIgnoredElement, line,
                 Cat("element ", child_name, " in ", name()),
                 " has the element <", Printable(child_name, 64), "> in <",
                 name(), ">, which is ignored",
                 [&] { return Suggestion(child_name, expected, repeated); });
    }
  }
}

void ElementReader::Expect(Names attributes, Names children,
                           Names repeated) const {
  for (const auto* a = element_.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view attribute = a->Name();
    if (Contains(attributes, attribute)) continue;
    if (attribute == "xmlns" || attribute.starts_with("xmlns:")) continue;
    ReportKind(LintCode::kIgnoredAttribute, a->GetLineNum(),
               Cat("attribute ", attribute, " in ", name()),
               " has the attribute ", Printable(attribute, 64), "=",
               Quoted(a->Value()), " in <", name(), ">, which is ignored",
               [&] { return Suggestion(attribute, attributes); });
  }
  CheckChildren(children, repeated);
}

std::optional<ElementReader> ElementReader::Child(const char* child_name,
                                                  Need need) const {
  const auto* child = element_.FirstChildElement(child_name);
  if (child != nullptr) return ElementReader(*child, subject_);
  if (need == Need::kRequired) {
    Report(LintCode::kMissingElement, line(), " has no <", child_name, "> in <",
           name(), ">; add it.");
  }
  return std::nullopt;
}

std::optional<ElementReader> ElementReader::Leaf(const char* child_name,
                                                 Names attributes,
                                                 Need need) const {
  const auto leaf = Child(child_name, need);
  if (leaf) leaf->Expect(attributes, {});
  return leaf;
}

std::optional<std::string_view> ElementReader::Text(const char* attribute,
                                                    Need need) const {
  const char* value = element_.Attribute(attribute);
  if (value != nullptr) return value;
  if (need == Need::kRequired) {
    Report(LintCode::kMissingAttribute, line(), " has no attribute '",
           attribute, "' in <", name(), ">; add it.");
  }
  return std::nullopt;
}

bool ElementReader::Numbers(const char* attribute, std::span<double> values,
                            Need need) const {
  const auto text = Text(attribute, need);
  if (!text) return false;
  const std::string problem = ParseNumbers(*text, values);
  if (problem.empty()) return true;
  Report(LintCode::kInvalidNumber,
         element_.FindAttribute(attribute)->GetLineNum(), " has the attribute ",
         attribute, "=", Quoted(*text), " in <", name(), ">: ", problem,
         name() == "limit" ? "; leave it out to set no limit." : ".");
  return false;
}

std::optional<double> ElementReader::Number(const char* attribute,
                                            Need need) const {
  double value = 0;
  if (!Numbers(attribute, {&value, 1}, need)) return std::nullopt;
  return value;
}

std::optional<std::array<double, 3>> ElementReader::Vector(
    const char* attribute, Need need) const {
  std::array<double, 3> values{};
  if (!Numbers(attribute, values, need)) return std::nullopt;
  return values;
}

}  // namespace torqued
