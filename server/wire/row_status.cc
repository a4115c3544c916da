#include "server/wire/row_status.h"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

/// Joint that owns a canonical column of q or of v; null if none does.
const Joint* JointOfColumn(const Model& model, bool of_q, int column) {
  for (const Joint& joint : model.joints()) {
    const int first = of_q ? joint.q_index : joint.v_index;
    const int count = of_q ? joint.nq : joint.nv;
    if (column >= first && column < first + count) return &joint;
  }
  return nullptr;
}

/// Joint that the issue is about; null where none is.
const Joint* JointOf(const EvaluationPlan& plan, const RowIssue& issue) {
  if (issue.column < 0) return nullptr;
  const auto column = static_cast<std::size_t>(issue.column);
  if (issue.code == RowCode::kSingularMassMatrix) {
    const auto joints = plan.model().joints();
    return column < joints.size() ? &joints[column] : nullptr;
  }
  if (issue.code != RowCode::kInvalidInput ||
      issue.input == Input::kTipWrench) {
    return nullptr;
  }
  const bool of_q = issue.input == Input::kQ;
  const std::vector<int>& columns = of_q ? plan.q_columns() : plan.v_columns();
  const int canonical =
      column < columns.size() ? columns[column] : issue.column;
  return JointOfColumn(plan.model(), of_q, canonical);
}

std::string Sentence(const EvaluationPlan& plan, const RowIssue& issue,
                     const v1::RowStatus& status) {
  const std::string at_joint =
      status.joint().empty() ? "" : " (joint " + status.joint() + ")";
  switch (issue.code) {
    case RowCode::kInvalidInput:
      return fmt::format("{}[{}]{} is {}, not a finite number.", status.field(),
                         issue.column, at_joint, issue.value);
    case RowCode::kSingularMassMatrix:
      return fmt::format(
          "The mass matrix is singular{}: pivot {:.3g}; {} is undefined.",
          at_joint, issue.value, status.field());
    case RowCode::kNotFiniteResult:
      return fmt::format("{} overflowed.", status.field());
    case RowCode::kSingularTaskSpace:
      return fmt::format(
          "The task Jacobian loses rank: smallest singular value {:.3g}; "
          "lambda and eta are {}.",
          issue.value,
          plan.options().task.singularity == SingularityRule::kDamped
              ? "damped"
              : "restricted to its range");
  }
  return {};
}

}  // namespace

v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue) {
  v1::RowStatus status;
  status.set_row(static_cast<std::uint64_t>(issue.row));
  status.set_code(ToWire(issue.code));
  status.set_field(std::string(issue.code == RowCode::kInvalidInput
                                   ? ToString(issue.input)
                                   : ToString(issue.output)));
  if (const Joint* joint = JointOf(plan, issue)) status.set_joint(joint->name);
  status.set_value(issue.value);
  status.set_message(Sentence(plan, issue, status));
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
