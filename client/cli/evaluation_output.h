// Answers, as JSON, CSV or tables.
#pragma once

#include <string>
#include <vector>

#include "client/cli/exit_code.h"
#include "client/cli/session.h"
#include "client/cpp/evaluation.h"

namespace torqued::cli {

/// Prints the results of these quantities; in table and CSV form the rows that
/// are not OK are told on stderr as well. kNo when there are any.
ExitCode PrintEvaluation(Session& session,
                         const std::vector<v1::Quantity>& quantities,
                         const client::Evaluation& evaluation);

/// "panda@1a2b3c4d5e6f"
std::string ModelText(const std::string& name, const std::string& revision);

}  // namespace torqued::cli
