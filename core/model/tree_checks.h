// Whether the joints of a tree can be moved at all: the physical checks that
// need all bodies together.
#pragma once

#include <span>
#include <vector>

#include "core/model/lint.h"
#include "core/model/model.h"
#include "core/model/tree.h"

namespace torqued {

/// The condition of the mass matrix is looked at for up to this many joints.
inline constexpr int kMaxConditionJoints = 100;
/// and reported above this.
inline constexpr double kMaxCondition = 1e8;

/// For each body the least of the inertias that the revolute joints up to it
/// move about their axes, kg m², each the largest of a few configurations;
/// infinite where there is no such joint. O(n).
std::vector<double> LeastMovedInertias(const Tree& tree);

/// The joints that move no mass in any configuration; reports those whose
/// moving inertia leaves double precision. `lines` are the joints' lines;
/// joints for which `skip` is set are left out. O(n).
std::vector<int> FindMasslessJoints(const Tree& tree,
                                    std::span<const Joint> joints,
                                    std::span<const int> lines,
                                    std::span<const char> skip,
                                    LintReport& report);

/// Reports what FindMasslessJoints found.
void ReportMasslessJoints(const Tree& tree, std::span<const Joint> joints,
                          std::span<const int> lines,
                          std::span<const int> massless, Severity severity,
                          LintReport& report);

/// Whether the inertia that each joint moves is within double precision. O(n).
bool InertiasAreFinite(const Tree& tree);

/// Reports a mass matrix at q = 0 that is ill-conditioned, or whose numbers
/// leave double precision, and the joint that matters most in the weakest
/// direction. O(n³).
void CheckMassCondition(const Tree& tree, std::span<const Joint> joints,
                        std::span<const int> lines, LintReport& report);

}  // namespace torqued
