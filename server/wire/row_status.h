// Rows that are not OK, in words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/batch/engine.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// Rows are counted from `first_row`.
v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue,
                          std::uint64_t first_row = 0);

/// The first rows for as long as they take less than `max_bytes` of the reply.
void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::uint64_t first_row, std::size_t max_bytes,
                   google::protobuf::RepeatedPtrField<v1::RowStatus>* rows);

}  // namespace torqued::server
