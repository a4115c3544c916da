#include <cstddef>

#include "core/base/text.h"
#include "core/engine/evaluation_plan.h"

namespace torqued {
std::string JointOf(const EvaluationPlan& plan, const RowIssue& issue) {
  const auto joints = plan.model().joints();
  if (issue.code == RowCode::kSingularMassMatrix) {
    return joints[issue.column].name;
  }
  const signed char columns = RowOf(issue.input).shape.sizes[0];
  const bool q = columns == table::kPositions;
  const bool of_joints = q || columns == table::kJoints;
  if (issue.code != RowCode::kInvalidInput || !of_joints) return {};
  const int canonical =
      CanonicalIndex(plan.checked().Permutation(issue.input), issue.column);
  for (const Joint& joint : joints) {
    const int end = q ? joint.q_index + joint.nq : joint.v_index + joint.nv;
    if (canonical < end) return joint.name;
  }
  return {};
}

std::string FieldOf(const RowIssue& issue) {
  return std::string(issue.code == RowCode::kInvalidInput
                         ? ToString(issue.input)
                         : ToString(issue.output));
}

std::string Describe(const EvaluationPlan& plan, const RowIssue& issue) {
  const std::string field = FieldOf(issue);
  const std::string joint = JointOf(plan, issue);
  const std::string value = NumberText(issue.value);
  const bool damped =
      plan.options().task.singularity == SingularityRule::kDamped;
  switch (issue.code) {
    case RowCode::kInvalidInput:
      return Cat(field, "[", issue.column, "]",
                 joint.empty() ? "" : Cat(" (joint ", joint, ")"), " is ",
                 value, ", not a finite number.");
    case RowCode::kSingularMassMatrix:
      return Cat("The mass matrix is singular: joint '", joint,
                 "' moves no mass but round-off at this state (pivot ", value,
                 "); ", field, " is undefined.");
    case RowCode::kNotFiniteResult:
      return field + " overflowed.";
    case RowCode::kSingularTaskSpace:
      if (issue.rank == 0) {
        return Cat(
            "The task cannot move: its Jacobian is zero to working "
            "precision (smallest singular value ",
            value, "); its inertia is ", damped ? "damped." : "0.");
      }
      return Cat("The task Jacobian loses rank: smallest singular value ",
                 value, "; the task's inertia is ",
                 damped ? "damped." : "restricted to its range.");
  }
  return {};
}

}  // namespace torqued
