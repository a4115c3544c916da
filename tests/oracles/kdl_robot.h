// Robots of Orocos KDL, built from a URDF text by urdfdom and thus without any
// code of ours.
#pragma once

#include <array>
#include <kdl/tree.hpp>
#include <string>
#include <vector>

namespace torqued::testing_support {

class KdlTree {
 public:
  /// Throws where urdfdom or KDL cannot read the text, or its joints are not
  /// those of `joint_names`.
  KdlTree(const std::string& urdf, const std::vector<std::string>& joint_names,
          const std::array<double, 3>& gravity);

  const KDL::Tree& tree() const { return tree_; }
  const KDL::Vector& gravity() const { return gravity_; }
  /// KDL's number of the joint with this number in `joint_names`.
  int index(int joint) const { return indices_[joint]; }

 private:
  KDL::Tree tree_;
  KDL::Vector gravity_;
  std::vector<int> indices_;
};

}  // namespace torqued::testing_support
