// The derivatives of a block's inverse and forward dynamics and M⁻¹, on the
// compiled tree.
#pragma once

#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/mass_factors-inl.h"
#include "core/math/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

inline constexpr QuantityBits kDerivatives =
    Bit(Quantity::kInverseDynamicsDerivatives) |
    Bit(Quantity::kForwardDynamicsDerivatives) |
    Bit(Quantity::kMassMatrixInverse);

/// Wrenches in the reference frames of their places.
template <class N>
struct PlacedWrench {
  TipFrame place;
  const Pack<N>* numbers;  // 6
  bool on_environment;     // that the robot exerts there, else on the robot

  Wrench<Pack<N>> AsWrench() const {
    const Pack<N>* const w = numbers;
    return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
  }
};
template <class N>
struct PlacedWrenches {
  PlacedWrench<N>* list;
  int count;
};

template <class N>
class BlockDerivatives {
 public:
  using P = Pack<N>;

  /// Takes no memory unless derivatives are wanted. `mass` must hold the
  /// factors of M before anything that solves is computed.
  BlockDerivatives(const Tree& tree, const CompiledTree<N>& compiled,
                   QuantityBits wanted, const MassFactors<N>& mass,
                   Arena& arena)
      : tree_(tree),
        compiled_(compiled),
        wanted_(wanted & kDerivatives),
        mass_(mass) {
    if (wanted_ == 0) return;
    const auto n = static_cast<unsigned long>(tree.n);
    LayoutDerivatives<P>(n, static_cast<unsigned long>(compiled.slots), arena,
                         inverse_);
    arena.Take(J_, 6 * n);
    arena.Take(matrices_, 3 * n * n);
  }

  bool wanted() const { return wanted_ != 0; }

  /// Before the first block: zeros between branches, which no block writes.
  void Prepare() {
    const bool inverse = wanted_ == Bit(Quantity::kMassMatrixInverse);
    if (wanted_ == 0) return;
    ClearBetween(Branches<N>{compiled_.bodies, tree_.n}, inverse ? 2 : 0, 3);
  }

  /// `state` has the accelerations of inverse dynamics, `acceleration` are
  /// those of forward dynamics; `wrenches` are those of the terms. Calls
  /// store(Output, const P* numbers, int count).
  template <class Store>
  __attribute__((noinline)) void Compute(const DynamicsTerms<P>& terms,
                                         const Configuration<P>& state,
                                         const P* acceleration,
                                         const PlacedWrenches<N>& wrenches,
                                         const Store& store) {
    const int size = tree_.n * tree_.n;
    P *const first = matrices_, *const second = first + size,
             *const third = second + size;
    // Solving fills what is between branches of a root.
    const bool solves =
        (wanted_ & Bit(Quantity::kForwardDynamicsDerivatives)) != 0;
    if (solves && !compiled_.chain) {
      const Branches<N> joints{compiled_.bodies, tree_.n};
      joints.ForRoots([&](const auto& tree) { ClearBetween(tree, 0, 2); });
    }
    if ((wanted_ & Bit(Quantity::kInverseDynamicsDerivatives)) != 0) {
      RneaDerivatives<true>(compiled_, terms, state, inverse_,
                            DerivativeMatrices<P>{first, second});
      AddHeldWrenches(state, wrenches, first);
      store(Output::kTauByQ, first, size);
      store(Output::kTauByV, second, size);
    }
    if (solves) {
      Configuration<P> forward = state;
      forward.a = acceleration;
      // Carpentier & Mansard 2018: da/dq = −M⁻¹ dtau/dq, da/dv = −M⁻¹ dtau/dv.
      RneaDerivatives<true>(compiled_, terms, forward, inverse_,
                            DerivativeMatrices<P>{first, second});
      AddHeldWrenches(state, wrenches, first);
      mass_.Invert(third);
      mass_.SolveNegative(first);
      mass_.SolveNegative(second);
      store(Output::kAccelerationByQ, first, size);
      store(Output::kAccelerationByV, second, size);
      store(Output::kAccelerationByTau, third, size);
    }
    if ((wanted_ & Bit(Quantity::kMassMatrixInverse)) != 0) {
      mass_.Invert(third);
      store(Output::kMassMatrixInverse, third, size);
    }
  }

 private:
  /// Derivatives of wrenches that do not turn with their bodies, but are
  /// constant in the reference frames of their places. tau = … − Jᵀ W, with J
  /// in that reference, has by q_j
  ///   world-aligned   J_iᵀ (ω_j × m; ω_j × f),  ω_j: angular part of J_j
  ///   world           J_iᵀ (−ad_{J_j}ᵀ W)
  /// more than if W turned with the body.
  void AddHeldWrenches(const Configuration<P>& state,
                       const PlacedWrenches<N>& wrenches, P* dtau_dq) const {
    const int n = tree_.n;
    for (int k = 0; k < wrenches.count; ++k) {
      const PlacedWrench<N>& wrench = wrenches.list[k];
      const TipFrame& place = wrench.place;
      if (place.reference == ReferenceFrame::kLocal) continue;
      TipPose<P> pose;
      FramePose(compiled_, place, state, J_, &pose);
      FrameJacobian(compiled_, place, pose, J_);
      Wrench<P> W = wrench.AsWrench();
      if (wrench.on_environment) W = {-W.m, -W.f};
      for (int j = place.Body(); j != kBase; j = tree_.bodies[j].parent) {
        Twist<P> S = LoadColumn<P>(J_, n, j);
        if (place.reference != ReferenceFrame::kWorld) S.v = Vec3<P>::Zero();
        // The rate of W by joint j, which the recursion included, and which is
        // zero.
        const Wrench<P> turned = MinusAdTranspose(S, W);
        for (int i = place.Body(); i != kBase; i = tree_.bodies[i].parent) {
          dtau_dq[i * n + j] += Dot(turned, LoadColumn<P>(J_, n, i));
        }
      }
    }
  }

  /// Zeros between branches and roots, in matrices [begin, end).
  void ClearBetween(const Branches<N>& joints, int begin, int end) {
    const int n = tree_.n, size = n * n;
    for (P* X = matrices_ + begin * size; begin < end; X += size, ++begin) {
      for (int i = joints.first; i < joints.n; ++i) {
        for (int k = joints.bodies[i].subtree_end; k < joints.n; ++k) {
          X[i * n + k] = X[k * n + i] = P(N(0));
        }
      }
    }
  }

  const Tree tree_;
  const CompiledTree<N>& compiled_;
  const QuantityBits wanted_;
  const MassFactors<N>& mass_;
  DerivativesScratch<P> inverse_{};
  P* J_ = nullptr;
  P* matrices_ = nullptr;  // three of n x n
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
