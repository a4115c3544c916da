#include "core/batch/row_issue.h"

#include <cstddef>

#include "core/base/text.h"

namespace torqued {
namespace {

/// Whether its columns are those of the joints.
bool IsOfJoints(Input input) {
  const signed char columns = RowOf(input).shape.sizes[0];
  return columns == table::kPositions || columns == table::kJoints;
}

/// Joint that owns a column of an input as the caller ordered it.
int JointOfColumn(const EvaluationPlan& plan, const RowIssue& issue) {
  const bool q = issue.input == Input::kQ;
  const std::vector<int>& permutation = plan.input_permutation(issue.input);
  const int canonical =
      permutation.empty() ? issue.column
                          : permutation[static_cast<std::size_t>(issue.column)];
  int index = 0;
  for (const Joint& joint : plan.model().joints()) {
    const int first = q ? joint.q_index : joint.v_index;
    const int count = q ? joint.nq : joint.nv;
    if (canonical >= first && canonical < first + count) return index;
    ++index;
  }
  return -1;
}

}  // namespace

std::string JointOf(const EvaluationPlan& plan, const RowIssue& issue) {
  int joint = -1;
  if (issue.code == RowCode::kSingularMassMatrix) {
    joint = issue.column;
  } else if (issue.code == RowCode::kInvalidInput && IsOfJoints(issue.input)) {
    joint = JointOfColumn(plan, issue);
  }
  if (joint < 0) return {};
  return plan.model().joints()[static_cast<std::size_t>(joint)].name;
}

std::string FieldOf(const RowIssue& issue) {
  return std::string(issue.code == RowCode::kInvalidInput
                         ? ToString(issue.input)
                         : ToString(issue.output));
}

std::string Describe(const EvaluationPlan& plan, const RowIssue& issue) {
  const std::string field = FieldOf(issue);
  const std::string joint = JointOf(plan, issue);
  const std::string at_joint = joint.empty() ? "" : " (joint " + joint + ")";
  switch (issue.code) {
    case RowCode::kInvalidInput:
      return field + "[" + std::to_string(issue.column) + "]" + at_joint +
             " is " + NumberText(issue.value) + ", not a finite number.";
    case RowCode::kSingularMassMatrix:
      return "The mass matrix is singular: joint '" + joint +
             "' moves no mass at this state (pivot " + NumberText(issue.value) +
             "); " + field + " is undefined.";
    case RowCode::kNotFiniteResult:
      return field + " overflowed.";
    case RowCode::kSingularTaskSpace: {
      const bool damped =
          plan.options().task.singularity == SingularityRule::kDamped;
      if (issue.rank == 0) {
        return "The task cannot move: its Jacobian is zero to working "
               "precision (smallest singular value " +
               NumberText(issue.value) + "); its inertia is " +
               (damped ? "damped." : "0.");
      }
      return "The task Jacobian loses rank: smallest singular value " +
             NumberText(issue.value) + "; the task's inertia is " +
             (damped ? "damped." : "restricted to its range.");
    }
  }
  return {};
}

}  // namespace torqued
