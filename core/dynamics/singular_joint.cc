#include "core/dynamics/singular_joint.h"

#include "core/dynamics/pivot_rule.h"

namespace torqued {

std::optional<int> SingularJoint(const Tree& tree, std::span<const double> q) {
  const PivotVerdict verdict = PivotRule(tree).At(q.data());
  if (verdict.regular()) return std::nullopt;
  return verdict.joint;
}

}  // namespace torqued
