// Lint reports for people.
#pragma once

#include <iosfwd>
#include <string>

#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// Where it was found besides its first place: "joint elbow:12, link hand:20,
/// :31"; names and line of the source.
std::string MorePlacesText(const v1::Finding& finding);

/// One finding a line, as compilers write them:
///   panda.urdf:12: warning: missing-limit: Joint 'elbow' ... [3 in all; also
///   joint wrist:20, joint hand:28]
/// and a line with the totals.
void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out);

}  // namespace torqued::cli
