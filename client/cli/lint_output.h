// Lint reports and models for people.
#pragma once

#include <iosfwd>
#include <string>

#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// One finding a line, as compilers write them:
///   panda.urdf:12: warning: missing-limit: joint elbow: ...
/// and a line with the totals.
void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out);

/// Name, revision, options, joints and frames.
void PrintModel(const v1::ModelInfo& model, std::ostream& out);

}  // namespace torqued::cli
