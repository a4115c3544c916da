#include "server/wire/row_status.h"

#include "core/batch/row_issue.h"
#include "server/wire/enums.h"

namespace torqued::server {

v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue,
                          std::uint64_t first_row) {
  v1::RowStatus status;
  status.set_row(first_row + static_cast<std::uint64_t>(issue.row));
  status.set_code(ToWire(issue.code));
  status.set_field(FieldOf(issue));
  status.set_joint(JointOf(plan, issue));
  status.set_value(issue.value);
  status.set_message(Describe(plan, issue));
  return status;
}

void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::uint64_t first_row, std::size_t max_bytes,
                   google::protobuf::RepeatedPtrField<v1::RowStatus>* rows) {
  constexpr std::size_t kTagAndLength = 4;
  std::size_t bytes = 0;
  for (const RowIssue& issue : report.issues) {
    v1::RowStatus status = ToRowStatus(plan, issue, first_row);
    bytes += status.ByteSizeLong() + kTagAndLength;
    if (bytes > max_bytes) break;
    *rows->Add() = std::move(status);
  }
}

}  // namespace torqued::server
