// A look at XML text before it is parsed.
#pragma once

#include <string_view>

#include "core/formats/urdf.h"

namespace torqued {

/// Reports and returns false for what the parser would accept but should not,
/// or would choke on: sources beyond the limits, NUL bytes, text that is not
/// UTF-8, declared entities, references to entities or characters that do not
/// exist. A lone document type is reported as ignored. Well-formedness beyond
/// that is left to the parser. One pass, no allocation.
bool CheckXmlSource(std::string_view source, const UrdfLimits& limits,
                    LintReport& report);

}  // namespace torqued
