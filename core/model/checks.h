// What is wrong with a description, or with the tree that it makes: findings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/model.h"
#include "core/tree/tree.h"

namespace torqued {

struct Assembly;
struct BuildOptions;

/// Longest name of a robot, link or joint, in bytes.
inline constexpr std::size_t kMaxNameBytes = 256;

/// Reports a name that is empty, too long, not UTF-8, or has control
/// characters. `kind` is "link" or the like.
void CheckName(std::string_view kind, std::string_view name, const Place& place,
               LintReport& report);

/// Reports a pose that is not finite or has no rotation. `subject` begins the
/// sentence: "Joint 'elbow'"; `what` is "origin" or the like.
void CheckPose(std::string_view subject, std::string_view what,
               const Pose& pose, const Place& place, LintReport& report);

/// Names, numbers and poses of the links; CheckMassProperties judges their
/// masses. A link in which an error was found is marked incomplete.
void CheckLinks(std::span<LinkDescription> links, LintReport& report);

/// Names, numbers, poses, axes, limits and mimic targets of the joints.
/// Normalises the axes. A joint in which an error was found is marked
/// incomplete.
void CheckJoints(std::span<JointDescription> joints, LintReport& report);

/// Negative masses, negative principal moments and violated triangle
/// inequalities of links whose numbers are finite. A link in which an error was
/// found is marked incomplete. `moves`: whether a joint may move the link, so
/// that answers follow from it; one for each link. `hint` continues the
/// sentence of an error that kLenient would take: "; or ...". Returns whether
/// kLenient took a link that kDefault refuses.
///
/// Moments that are negative, or too large, by no more than rounding are no
/// finding: by 1e-6 of their sum, which six digits leave open, or by 1e-12 of
/// the mass times the square of its distance from the link's origin. The
/// moments of an incomplete link are not judged.
bool CheckMassProperties(std::span<LinkDescription> links,
                         std::span<const char> moves, Validation validation,
                         std::string_view hint, LintReport& report);

/// The condition of the mass matrix is checked for up to this many joints.
inline constexpr int kMaxConditionJoints = 100;

struct TreeToCheck {
  const Assembly& assembly;
  std::span<const JointDescription> joints;  // those that it was made from
  /// Of each joint whether an error was found in what it moves.
  std::vector<char> incomplete;
  std::uint64_t seed = 0;  // of the random states
  /// CheckMassProperties returned true.
  bool let_pass = false;
};

/// Joints that move no mass in any configuration, inertias beyond double
/// precision, a mass matrix that is ill-conditioned at q = 0, and with kLenient
/// one that is not regular. True: cancelled.
bool CheckTree(const TreeToCheck& check, const BuildOptions& options,
               LintReport& report);

/// Whether the inertia that each joint moves is within double precision. O(n).
bool InertiasAreFinite(const Tree& tree);

/// The states at which a model is checked while it is loaded, one number for
/// each joint, rad or m: q = 0 first, then up to 32 random positions, fewer of
/// many joints, so that a robot of 1024 joints takes tenths of a second at
/// most. The same states for the same seed. They are inside the position
/// limits, of which only a turn or 10 m on either side of the position nearest
/// to zero count; without limits within half a turn or 1 m.
std::vector<std::vector<double>> SampledStates(std::span<const Joint> joints,
                                               std::uint64_t seed);

}  // namespace torqued
