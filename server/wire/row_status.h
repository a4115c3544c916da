// Rows that are not OK, in words.
#pragma once

#include <cstddef>

#include "core/batch/engine.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue);

/// The count, and the first rows for as long as they take less than
/// `max_bytes` of the reply.
void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::size_t max_bytes, v1::ComputeReply* reply);

}  // namespace torqued::server
