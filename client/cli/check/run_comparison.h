// Two runs side by side: is the later one worse?
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "client/cli/document.h"

namespace torqued::cli {

/// What `--output json` prints, of two summaries (--summary, --output json) of
/// a file, or of two runs of many files (--results, or their summaries).
/// `tolerance` is relative. Throws DataError if the texts are neither, or not
/// both of a kind.
Json CompareRuns(const std::string& before_name, std::string_view before_text,
                 const std::string& after_name, std::string_view after_text,
                 double tolerance);

void PrintComparison(const Json& report, std::ostream& out);
/// The columns of its numbers.
extern const Members kComparedColumns;

}  // namespace torqued::cli
