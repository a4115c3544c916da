// How links and joints hang together.
#pragma once

#include <span>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"

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

}  // namespace torqued
