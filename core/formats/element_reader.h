// Reading an XML element so that nothing in it is passed over silently.
#pragma once

#include <tinyxml2.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/model/lint.h"

namespace torqued {

/// The link or joint that is being read.
struct Subject {
  LintReport& report;
  std::string_view joint;
  std::string_view link;
  std::string phrase;   // begins a sentence: "Joint 'elbow'"
  bool failed = false;  // an error was reported
};

/// One element of a subject. What it is not asked for with Expect is reported
/// as ignored; what is wrong with the rest is an error. Holds references to
/// the document and the subject.
class ElementReader {
 public:
  ElementReader(const tinyxml2::XMLElement& element, Subject& subject);

  /// The attributes and children that have a meaning here; everything else is
  /// reported as ignored, as are further children of a kind, except those in
  /// `repeated`.
  void Expect(std::initializer_list<std::string_view> attributes,
              std::initializer_list<std::string_view> children,
              std::initializer_list<std::string_view> repeated = {}) const;

  /// The first child of that name, if any.
  std::optional<ElementReader> Child(const char* name) const;
  /// Reports a child that is missing.
  std::optional<ElementReader> RequiredChild(const char* name) const;

  std::optional<std::string_view> Text(const char* attribute) const;
  std::optional<std::string_view> RequiredText(const char* attribute) const;

  /// Nothing when the attribute is absent or, which is reported, no number.
  std::optional<double> Number(const char* attribute) const;
  std::optional<double> RequiredNumber(const char* attribute) const {
    RequiredText(attribute);
    return Number(attribute);
  }
  std::optional<std::array<double, 3>> Vector(const char* attribute) const;

  int line() const { return element_.GetLineNum(); }
  std::string_view name() const { return element_.Name(); }

  /// The pieces, see Cat, continue the subject's phrase.
  void Report(LintCode code, int line, const auto&... pieces) const {
    if (DefaultSeverity(code) == Severity::kError) subject_.failed = true;
    subject_.report.Add(code, PlaceAt(line), subject_.phrase, pieces...);
  }
  /// For what may be found many times, see LintReport::AddKind.
  void ReportKind(LintCode code, int line, std::string_view kind,
                  const auto&... pieces) const {
    subject_.report.AddKind(code, PlaceAt(line), kind, subject_.phrase,
                            pieces...);
  }

 private:
  Place PlaceAt(int line) const {
    return {.joint = subject_.joint, .link = subject_.link, .line = line};
  }
  bool Numbers(const char* attribute, std::span<double> values) const;
  using Names = std::initializer_list<std::string_view>;
  void CheckChildren(Names expected, Names repeated) const;
  void ReportUnexpected(const tinyxml2::XMLElement& child, Names expected,
                        Names repeated) const;

  const tinyxml2::XMLElement& element_;
  Subject& subject_;
};

}  // namespace torqued
