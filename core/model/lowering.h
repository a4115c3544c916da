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

#include "core/tree/lowered_tree.h"

namespace torqued {

/// Owns the arrays of a lowered tree, in double and in single precision.
class LoweredModel {
 public:
  LoweredModel() = default;
  /// Any number of revolute and prismatic joints, in depth-first order, on any
  /// number of roots.
  explicit LoweredModel(const Tree& tree);

  LoweredTreeOf<double> f64() const { return Of(f64_); }
  LoweredTreeOf<float> f32() const { return Of(f32_); }

 private:
  template <class Number>
  LoweredTreeOf<Number> Of(
      const std::vector<LoweredBody<Number>>& bodies) const {
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
  std::vector<LoweredBody<double>> f64_;
  std::vector<LoweredBody<float>> f32_;
  std::vector<BodyFrame> frames_;
  std::vector<HandedInertia> handed_;
};

}  // namespace torqued
