// How links and joints hang together, and the bodies and frames that they make.
#pragma once

#include <span>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/model.h"
#include "core/tree/tree.h"

namespace torqued {

/// The spanning tree of a robot. Indices are those of the descriptions.
struct Topology {
  /// True when every joint connects two known links, names are unique and the
  /// links form one tree. The rest is meaningful only then.
  bool valid = false;
  /// Canonical order: the root link first, then depth-first, the child joints
  /// of a link (fixed ones too) in byte-wise order of joint name.
  std::vector<int> links;
  /// Per link: the joint whose child it is, or -1.
  std::vector<int> parent_joint;
  /// Per joint: its links.
  std::vector<int> joint_parent, joint_child;
  /// Per link: it is the parent of no joint.
  std::vector<char> is_leaf;
};

/// Reports every way in which the description is not a tree with unique names.
/// Linear in time but for the sorting of names; does not recurse.
Topology FindTopology(std::span<const LinkDescription> links,
                      std::span<const JointDescription> joints,
                      LintReport& report);

/// For each cycle of i → next[i] one place on it; next[i] is -1 where the way
/// ends.
std::vector<int> FindCycles(std::span<const int> next);

/// The parts of a model, in canonical order, with fixed joints merged.
struct Assembly {
  std::vector<Joint> joints;  // body i hangs on joint i
  std::vector<TreeBody> bodies;
  std::vector<Frame> frames;      // one per link, as in Topology::links
  std::vector<int> joint_source;  // index of joint i in the descriptions

  Tree tree() const { return {static_cast<int>(bodies.size()), bodies.data()}; }
};

/// Adds the inertia of a link to that of the body which carries it;
/// `body_link` is T_{body,link}.
void Lump(const Pose& body_link, const LinkInertial& inertial, TreeBody& body);

/// `topology` must be valid and the axes normalised. Lumped numbers may
/// overflow; nobody checks that here.
Assembly Assemble(std::span<const LinkDescription> links,
                  std::span<const JointDescription> joints,
                  const Topology& topology);

}  // namespace torqued
