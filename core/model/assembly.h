// From a description to the parts of a model: what is wrong with links and
// joints, how they hang together, the bodies and frames that they make, and
// what is wrong with these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/model/compile.h"
#include "core/model/description.h"
#include "core/tree/tree.h"

namespace torqued {

/// The object of findings. The names in `place` outlive it.
struct Subject {
  LintReport& report;
  Place place;
  std::string phrase;   // begins a sentence: "Joint 'elbow'"
  bool failed = false;  // an error was reported by Add

  /// The pieces, see Cat, continue the phrase.
  void Add(LintCode code, const auto&... pieces) {
    failed = failed || DefaultSeverity(code) == Severity::kError;
    report.Add(code, place, Cat(phrase, pieces...));
  }
  /// For what may be found many times, see LintReport::AddKind.
  void AddKind(Severity severity, LintCode code, std::string_view kind,
               const auto&... pieces) {
    report.AddKind(severity, code, place, kind,
                   [&] { return Cat(phrase, pieces...); });
  }
};

Subject About(const LinkDescription& link, LintReport& report);
Subject About(const JointDescription& joint, LintReport& report);

/// Longest name of a robot, link or joint, in bytes.
inline constexpr std::size_t kMaxNameBytes = 256;

/// Reports a name that is empty, too long, not UTF-8, or has control
/// characters. `kind` is "link" or the like.
void CheckName(std::string_view kind, std::string_view name, const Place& place,
               LintReport& report);

/// Reports a pose that is not finite or has no rotation. `what` is "origin" or
/// the like.
void CheckPose(std::string_view what, const Pose& pose, Subject& subject);

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
/// that answers follow from it, one entry for each link. `hint` continues the
/// sentence of an error that kLenient would take: "; or ...". Returns whether
/// kLenient took a link that kDefault refuses.
///
/// Moments that are negative, or too large, by no more than rounding are not
/// reported: by 1e-6 of their sum, which six digits leave open, or by 1e-12 of
/// the mass times the square of its distance from the link's origin. The
/// moments of an incomplete link are not judged.
bool CheckMassProperties(std::span<LinkDescription> links,
                         std::span<const char> moves, Validation validation,
                         std::string_view hint, LintReport& report);

/// How links and joints hang together, and the parts of the model that they
/// make, with fixed joints merged.
struct Assembly {
  /// True when every joint connects two known links, names are unique and the
  /// links form one tree. Members in canonical order are valid only then.
  bool is_tree = false;

  // By link of the description.
  std::vector<int> parent_joint;  // the joint whose child it is, or -1
  std::vector<char> is_leaf;      // it is the parent of no joint
  /// Whether a joint may move it. Joints with an error count as such that move,
  /// though they are described as fixed; so do all where there is no tree.
  std::vector<char> moves;
  // By joint of the description.
  std::vector<int> joint_parent, joint_child;  // its links

  // In canonical order: the root link first, then depth-first, the child joints
  // of a link (fixed ones too) in byte-wise order of joint name.
  std::vector<int> links;  // of the description
  std::vector<Frame> frames;
  std::vector<Joint> joints;  // body i hangs on joint i
  std::vector<TreeBody> bodies;
  std::vector<int> joint_source;  // index of joint i in the description

  Tree tree() const { return {static_cast<int>(bodies.size()), bodies.data()}; }
};

/// Reports every way in which the description is not a tree with unique names.
/// Axes must be normalised. Lumped numbers may overflow, which is not checked
/// here. Linear in time except for the sorting of names. Does not recurse.
Assembly Assemble(std::span<const LinkDescription> links,
                  std::span<const JointDescription> joints, LintReport& report);

/// For each cycle of i → next[i] one place on it; next[i] is -1 where the way
/// ends.
std::vector<int> FindCycles(std::span<const int> next);

/// The frame as the algorithms see it.
BodyFrame FrameOnBody(const Frame& frame);

/// The hidden part of Model.
struct Model::Arrays {
  explicit Arrays(std::vector<TreeBody> all)
      : bodies(std::move(all)), compiled(tree()) {}

  Tree tree() const { return {static_cast<int>(bodies.size()), bodies.data()}; }

  std::vector<TreeBody> bodies;
  CompiledModel compiled;
};

/// Adds the inertia of a link to that of the body which carries it;
/// `body_link` is T_{body,link}.
void Lump(const Pose& body_link, const LinkInertial& inertial, TreeBody& body);

/// The condition of the mass matrix is checked for up to this many joints.
inline constexpr int kMaxConditionJoints = 100;

/// A description, and what it makes.
struct AssembledRobot : RobotDescription {
  Assembly assembly = Assemble(links, joints, report);
  bool let_pass = false;  // CheckMassProperties returned true
};

/// Joints that move no mass in any configuration, inertias beyond double
/// precision, a mass matrix that is ill-conditioned at q = 0, and with kLenient
/// one that is not regular. True: cancelled.
bool CheckTree(AssembledRobot& robot, const BuildOptions& options);

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
