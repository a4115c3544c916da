// A look at XML text before it is parsed.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/model/lint.h"

namespace torqued {

struct XmlLimits {
  std::size_t source_bytes;
  /// Elements, comments and the like: each costs the parser some 100 bytes.
  std::size_t nodes;
  /// Of one element: the parser's time grows with their square.
  std::size_t attributes;
};

/// Reports and returns false for what the parser would accept but should not,
/// or would choke on: sources beyond the limits, NUL bytes, text that is not
/// UTF-8, declared entities, references to entities or characters that do not
/// exist. A lone document type is reported as ignored. Well-formedness beyond
/// that is left to the parser. One pass, no allocation.
bool CheckXmlSource(std::string_view source, const XmlLimits& limits,
                    LintReport& report);

}  // namespace torqued
