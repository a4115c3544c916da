// Every algorithm text of core/dynamics on one state, or one block of them. No
// standard headers: this is compiled for every target.
#pragma once

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/coriolis-inl.h"
#include "core/dynamics/energy-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/jacobian_rate-inl.h"
#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/mass_inverse-inl.h"
#include "core/dynamics/momentum-inl.h"
#include "core/dynamics/regressor-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_projection-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Its inputs in one row: q, v, a, V_0, V̇_0 and a wrench on the tip.
inline int TextInputs(int n) { return 3 * n + 18; }

inline int TextOutputs(int n) {
  return 3 * (24 + 6 * n) + n * n * n + 14 * n * n + 18 * n + 20;
}

template <class T>
class AllTexts {
 public:
  /// `memory` may be null to learn how much it takes.
  AllTexts(const Tree& tree, const BodyFrame& tip, void* memory)
      : tree_(tree), tip_(tip), carver_(memory) {
    const auto n = static_cast<unsigned long>(tree.n);
    CarveScratch(n, carver_, s_);
    CarveCoriolisScratch(n, carver_, coriolis_);
    carver_.Take(work_, n);
    carver_.Take(inputs, static_cast<unsigned long>(TextInputs(tree.n)));
    carver_.Take(outputs, static_cast<unsigned long>(TextOutputs(tree.n)));
  }

  unsigned long bytes() const { return carver_.used(); }

  T* inputs;
  T* outputs;

  void Run() {
    const int n = tree_.n;
    next_ = outputs;
    const T *const q = inputs, *const v = q + n, *const a = v + n;
    const T *const b = a + n, *const wrench = b + 12;
    const BaseMotion<T> base = {{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}},
                                {{b[6], b[7], b[8]}, {b[9], b[10], b[11]}}};
    const DynamicsTerms terms = {{1, -2, -9}, true, true, true};

    ComputePlacements(tree_, q, s_);
    ComputeWorldPlacements(tree_, s_);
    ClearWrenches(tree_, s_);
    AddWrench(tree_, tip_, ReferenceFrame::kLocal, wrench, s_);
    AddWrench(tree_, tip_, ReferenceFrame::kLocalWorldAligned, wrench, s_);
    AddWrench(tree_, tip_, ReferenceFrame::kWorld, wrench, s_);
    T* const tau = Take(n);
    InverseDynamics(tree_, terms, v, a, s_, tau, &base);
    JointWrenches(tree_, s_, Take(6 * n));
    BaseReaction(tree_, s_, Take(6));
    ForwardDynamics(tree_, terms, v, static_cast<const T*>(tau), s_, Take(n),
                    &base);
    TorqueRegressor(tree_, terms, v, a, s_, Take(10 * n * n), &base);

    T* const C = Take(n * n);
    CoriolisMatrix(tree_, v, s_, coriolis_, C);
    MassMatrixRate(n, static_cast<const T*>(C), Take(n * n));
    ChristoffelSymbols(tree_, s_, Take(n * n * n));

    *Take(1) = KineticEnergy(tree_, v, s_, &base);
    *Take(1) = PotentialEnergy(tree_, terms.gravity,
                               static_cast<const Scratch<T>&>(s_));
    T *const com = Take(3), *const com_velocity = Take(3), *const h = Take(6);
    CentroidalMomentum(tree_, v, s_, com, com_velocity, h, &base);
    T* const A_G = Take(6 * n);
    CentroidalMomentumMatrix(tree_, s_, A_G);
    CenterOfMassJacobian(tree_, static_cast<const T*>(A_G), Take(3 * n));

    constexpr ReferenceFrame kFrames[] = {ReferenceFrame::kLocal,
                                          ReferenceFrame::kLocalWorldAligned,
                                          ReferenceFrame::kWorld};
    for (const ReferenceFrame reference : kFrames) {
      ComputeBodyMotions(tree_, v, a, s_, &base);
      FrameTwist(tree_, tip_, reference, s_, Take(6), &base);
      FrameAcceleration(tree_, tip_, reference, AccelerationKind::kSpatial, s_,
                        Take(6), &base);
      FrameAcceleration(tree_, tip_, reference, AccelerationKind::kClassical,
                        s_, Take(6), &base);
      FrameDrift(tree_, tip_, reference, v, s_, Take(6), &base);
      FrameJacobianRate(tree_, tip_, reference, v, s_, Take(6 * n));
    }

    MassMatrix(tree_, s_, s_.M);
    FactorLdlt(n, s_.M);
    MassMatrixInverse(n, static_cast<const T*>(s_.M), Take(n * n));
    // A task of one row, of which W is a number.
    FrameJacobian(tree_, tip_, ReferenceFrame::kLocal, s_, s_.J);
    const T* const row = s_.J + 4 * n;
    for (int k = 0; k < n; ++k) work_[k] = row[k];
    SolveLdlt(n, static_cast<const T*>(s_.M), work_);
    T W(0);
    for (int k = 0; k < n; ++k) W = W + row[k] * work_[k];
    const T lambda = T(1) / W;
    T* const J_bar = Take(n);
    DynamicallyConsistentInverse(1, n, row, static_cast<const T*>(s_.M),
                                 &lambda, work_, J_bar);
    NullSpaceProjector(1, n, row, static_cast<const T*>(J_bar), Take(n * n));
  }

  /// Numbers that Run has written.
  long written() const { return next_ - outputs; }

 private:
  T* Take(int count) {
    T* const here = next_;
    next_ += count;
    return here;
  }

  Tree tree_;
  BodyFrame tip_;
  Carver carver_;
  Scratch<T> s_;
  CoriolisScratch<T> coriolis_;
  T* work_;
  T* next_ = nullptr;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
