// Compiles a tree into a dynamically equal one that is cheap to evaluate.
//
// Two freedoms are used. A link frame may be replaced by any other that is
// fixed on the link: it is put on the joint's axis, at the common normal with
// the parent's, after Denavit and Hartenberg. And mass that a joint does not
// move relative to its parent may be counted to the parent: the base inertial
// parameters (Gautier and Khalil 1990). Joint torques, the mass matrix and
// accelerations are the same functions of q, q̇, q̈ as before.
#pragma once

#include <vector>

#include "core/tree/compiled_tree.h"

namespace torqued {

/// Owns the arrays of a compiled tree, in double and in single precision.
class CompiledModel {
 public:
  CompiledModel() = default;
  /// Any number of revolute and prismatic joints, in depth-first order, on any
  /// number of roots.
  explicit CompiledModel(const Tree& tree);

  CompiledTree<double> f64() const { return Of(f64_); }
  CompiledTree<float> f32() const { return Of(f32_); }

 private:
  template <class Number>
  CompiledTree<Number> Of(
      const std::vector<CompiledBody<Number>>& bodies) const {
    return {static_cast<int>(bodies.size()),
            is_chain_,
            slots_,
            bodies.data(),
            frames_.data(),
            handed_.data()};
  }
  /// Masses, subtrees, branches and slots, which depend on other bodies.
  void Connect();

  int slots_ = 0;
  bool is_chain_ = true;
  std::vector<CompiledBody<double>> f64_;
  std::vector<CompiledBody<float>> f32_;
  std::vector<BodyFrame> frames_;
  std::vector<HandedInertia> handed_;
};

}  // namespace torqued
