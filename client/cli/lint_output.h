// Lint reports and models for people.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// How often; 1 where the server does not say.
std::uint32_t CountOf(const v1::Finding& finding);

/// Where it was found besides its first place: "joint elbow:12, link hand:20,
/// :31, ..."; names and line of the source, and "..." where more are counted
/// than listed. Empty where there was one place only.
std::string MorePlacesText(const v1::Finding& finding);

/// "default", "strict", "lenient".
std::string ValidationText(v1::Validation validation);

/// One finding a line, as compilers write them:
///   panda.urdf:12: warning: missing-limit: Joint 'elbow' ... [3 in all; also
///   joint wrist:20, joint hand:28]
/// and a line with the totals.
void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out);

/// Name, revision, options, joints and frames.
void PrintModel(const v1::ModelInfo& model, std::ostream& out);

}  // namespace torqued::cli
