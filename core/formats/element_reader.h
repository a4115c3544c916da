// Reading XML so that nothing in it is ignored silently.
#pragma once

#include <tinyxml2.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/urdf.h"
#include "core/model/assembly.h"

namespace torqued {

/// A look at the text before it is parsed. Reports and returns false for what
/// the parser would accept but should not, or would choke on: sources beyond
/// the limits, NUL bytes, text that is not UTF-8, declared entities, references
/// to entities or characters that do not exist. A lone document type is
/// reported as ignored. Well-formedness beyond that is left to the parser. One
/// pass, no allocation.
bool CheckXmlSource(std::string_view source, const UrdfLimits& limits,
                    LintReport& report);

enum class Need : std::uint8_t { kOptional, kRequired };

/// One element of a subject. Parts that are not asked for with Expect are
/// reported as ignored. Errors in the rest are errors. Holds references to the
/// document and the subject.
class ElementReader {
 public:
  ElementReader(const tinyxml2::XMLElement& element, Subject& subject)
      : element_(element), subject_(subject) {}

  /// The attributes and children that have a meaning here; everything else is
  /// reported as ignored, as are further children of a kind, except those in
  /// `repeated`.
  using Names = std::initializer_list<std::string_view>;
  void Expect(Names attributes, Names children, Names repeated = {}) const;

  /// The first child of that name, if any. Here and below, what is required
  /// and absent is reported.
  std::optional<ElementReader> Child(const char* name, Need need = {}) const;
  /// A Child of which only these attributes are expected.
  std::optional<ElementReader> Leaf(const char* name, Names attributes,
                                    Need need = {}) const;

  std::optional<std::string_view> Text(const char* attribute,
                                       Need need = {}) const;
  /// Nothing when the attribute is absent or, which is reported, no number.
  std::optional<double> Number(const char* attribute, Need need = {}) const;
  std::optional<std::array<double, 3>> Vector(const char* attribute,
                                              Need need = {}) const;

  int line() const { return element_.GetLineNum(); }
  std::string_view name() const { return element_.Name(); }

  /// The pieces, see Cat, continue the subject's phrase.
  void Report(LintCode code, int line, const auto&... pieces) const {
    subject_.place.line = line;
    subject_.Add(code, pieces...);
  }
  /// For what may be found many times, see LintReport::AddKind.
  void ReportKind(LintCode code, int line, std::string_view kind,
                  const auto&... pieces) const {
    subject_.place.line = line;
    subject_.AddKind(DefaultSeverity(code), code, kind, pieces...);
  }

 private:
  bool Numbers(const char* attribute, std::span<double> values,
               Need need) const;
  void CheckChildren(Names expected, Names repeated) const;

  const tinyxml2::XMLElement& element_;
  Subject& subject_;
};

}  // namespace torqued
