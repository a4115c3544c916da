// What a pivot of the mass matrix is compared with: the inertia that a joint
// carries, all that is behind it stretched out.
//
// For joint i let o_i be a point of its axis: of a revolute joint the one
// nearest the centre of mass of all that the joint carries at q = 0, of a
// prismatic joint that centre of mass itself. It does not move when the joint's
// frame slides along the axis or turns about it. The norm of L²(ρ) bounds the
// second moment ∫ρ |x − o_i|² of all that the joint carries, which is half the
// trace of its rotational inertia there, at every q by the triangle inequality:
//   r_i² = ∫_i ρ |x − o_i|² + Σ_k (r_k + √m_k |o_k − o_i|)²,
// over the joints k on body i, m_k the mass that joint k carries; a prismatic
// one adds |q_k| to its distance. These are also the magnitudes that are added
// up on the way to M, whatever cancels in M itself: a mass may be carried far
// out and back again. The scale is s_i = r_i² + armature of a revolute joint,
// m_i + armature of a prismatic one: its unit is that of the pivot, and other
// units of mass or length change both alike.
//
// Numbers stand in the frames that a source gives. Where one of them is so far
// out on its axis that the digits it costs are more than these, a share of the
// same sum with the frames' origins in place of o_i is the scale.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dynamics/scale_bound.h"
#include "core/tree/tree.h"

namespace torqued {

/// Of that sum, about one kind of points.
struct Stretch {
  double square = 0;    // ∫_i ρ |x − o_i|² of the body alone, kg m²
  double distance = 0;  // |o_i − o_λ| at q = 0, m
};

/// Constants of one joint.
struct JointReach {
  double mass = 0;       // m_i, kg
  double root_mass = 0;  // √m_i
  Stretch axis;          // about the points of the axes
  Stretch frame;         // about the origins of the frames
};

class InertiaScales {
 public:
  InertiaScales() = default;
  explicit InertiaScales(const Tree& tree);

  const std::vector<ScaleBound>& bounds() const { return bounds_; }

  /// Memory that is held, roughly.
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(joints_.size() * sizeof(JointReach) +
                                     bounds_.size() * sizeof(ScaleBound));
  }

  /// s_i of all joints at q, into n numbers; `work` has room for n.
  void At(const Tree& tree, const double* q, double* scales,
          double* work) const;

 private:
  void FindBounds(const Tree& tree);
  /// r_i² of all joints about one kind of points.
  template <Stretch JointReach::* kPoints>
  void Add(const Tree& tree, const double* q, double* squares) const;

  std::vector<JointReach> joints_;
  std::vector<ScaleBound> bounds_;
};

}  // namespace torqued
