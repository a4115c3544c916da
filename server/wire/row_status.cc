#include "server/wire/row_status.h"

#include "core/batch/row_issue.h"
#include "server/wire/enums.h"

namespace torqued::server {

v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue) {
  v1::RowStatus status;
  status.set_row(static_cast<std::uint64_t>(issue.row));
  status.set_code(ToWire(issue.code));
  status.set_field(FieldOf(issue));
  status.set_joint(JointOf(plan, issue));
  status.set_value(issue.value);
  status.set_message(Describe(plan, issue));
  return status;
}

void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::size_t max_bytes, v1::ComputeReply* reply) {
  reply->set_rows_not_ok(static_cast<std::uint64_t>(report.rows_not_ok));
  constexpr std::size_t kTagAndLength = 4;
  std::size_t bytes = 0;
  for (const RowIssue& issue : report.issues) {
    v1::RowStatus status = ToRowStatus(plan, issue);
    bytes += status.ByteSizeLong() + kTagAndLength;
    if (bytes > max_bytes) break;
    *reply->add_row_status() = std::move(status);
  }
}

}  // namespace torqued::server
