// From a valid topology to bodies, joints and frames.
#pragma once

#include <span>
#include <vector>

#include "core/model/description.h"
#include "core/model/model.h"
#include "core/model/topology.h"
#include "core/model/tree.h"

namespace torqued {

/// The parts of a model, in canonical order, with fixed joints merged.
struct Assembly {
  std::vector<Joint> joints;  // body i hangs on joint i
  std::vector<TreeBody> bodies;
  std::vector<Frame> frames;          // one per link, as in Topology::links
  std::vector<int> joint_source;      // index of joint i in the descriptions
  double fixed_mass = 0;              // kg, of the links fixed to the base
  std::vector<int> fixed_mass_links;  // those with mass, as described
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
