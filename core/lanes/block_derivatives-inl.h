// The derivatives of a block's inverse and forward dynamics and M⁻¹, on the
// lowered tree.
#pragma once

#include "core/dynamics/forward_derivatives-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/mass_factors-inl.h"
#include "core/lanes/pack.h"
#include "core/lowered/kinematics-inl.h"
#include "core/lowered/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

inline constexpr QuantityBits kDerivatives =
    Bit(Quantity::kInverseDynamicsDerivatives) |
    Bit(Quantity::kForwardDynamicsDerivatives) |
    Bit(Quantity::kMassMatrixInverse);

/// Wrenches, 6 numbers each, in the reference frames of their places.
template <class N>
struct PlacedWrench {
  LoweredTip<N> place;
  const Pack<N>* numbers;
  bool on_environment;  // that the robot exerts there, else on the robot
};
template <class N>
struct PlacedWrenches {
  PlacedWrench<N>* list;
  int count;
};

/// A wrench W, 6 numbers (moment; force), acts on a body at a frame and is
/// constant in `reference`, with J[6 x n] of that frame in that reference. To
/// the derivatives of tau = … − Jᵀ W with respect to q for a W that turns with
/// the body, this adds what makes them those of this W:
///   local           nothing
///   world-aligned   J_iᵀ (ω_j × m; ω_j × f),  ω_j: angular part of J_j
///   world           J_iᵀ (−ad_{J_j}ᵀ W)
/// For the wrench F that the frame exerts on its environment, tau = … + Jᵀ F,
/// give W = −F. Of J the columns of the joints that carry `body`, the frame's,
/// are read.
template <class T>
void AddHeldWrenchDerivative(const Tree& tree, int body,
                             ReferenceFrame reference, const T* J,
                             const T* wrench, T* dtau_dq) {
  const int n = tree.n;
  if (reference == ReferenceFrame::kLocal) return;
  const Wrench<T> W = {{wrench[0], wrench[1], wrench[2]},
                       {wrench[3], wrench[4], wrench[5]}};
  for (int j = body; j != kBase; j = tree.bodies[j].parent) {
    Twist<T> S = {{J[j], J[n + j], J[2 * n + j]}, Vec3<T>::Zero()};
    if (reference == ReferenceFrame::kWorld) {
      S.v = {J[3 * n + j], J[4 * n + j], J[5 * n + j]};
    }
    // What turning with joint j has done to W, and does not.
    const Wrench<T> turned = MinusAdTranspose(S, W);
    for (int i = body; i != kBase; i = tree.bodies[i].parent) {
      const Twist<T> column = {{J[i], J[n + i], J[2 * n + i]},
                               {J[3 * n + i], J[4 * n + i], J[5 * n + i]}};
      dtau_dq[i * n + j] += Dot(turned, column);
    }
  }
}

template <class N>
class BlockDerivatives {
 public:
  using P = Pack<N>;

  /// Takes no memory unless derivatives are wanted. `mass` must hold the
  /// factors of M before anything that solves is computed.
  BlockDerivatives(const Tree& tree, const LoweredTreeOf<N>& lowered,
                   QuantityBits wanted, const MassFactors<N>& mass,
                   Carver& carver)
      : tree_(tree),
        lowered_(lowered),
        wanted_(wanted & kDerivatives),
        mass_(mass) {
    if (wanted_ == 0) return;
    const auto n = static_cast<unsigned long>(tree.n);
    CarveLoweredDerivatives<P>(n, static_cast<unsigned long>(lowered.slots),
                               carver, inverse_);
    CarveForwardDerivatives<P>(n, carver, forward_);
    carver.Take(J_, 6 * n);
    carver.Take(matrices_, 3 * n * n);
  }

  bool wanted() const { return wanted_ != 0; }

  /// `state` has the accelerations of inverse dynamics, `acceleration` are
  /// those of forward dynamics; `wrenches` are those of the terms. Calls
  /// store(Output, const P* numbers, int count).
  template <class Store>
  __attribute__((noinline)) void Compute(const LoweredTerms<P>& terms,
                                         const LoweredState<P>& state,
                                         const P* acceleration,
                                         const PlacedWrenches<N>& wrenches,
                                         const Store& store) {
    const int size = tree_.n * tree_.n;
    P *const first = matrices_, *const second = first + size,
             *const third = second + size;
    if ((wanted_ & Bit(Quantity::kInverseDynamicsDerivatives)) != 0) {
      LoweredInverseDynamicsDerivatives(lowered_, terms, state, inverse_, first,
                                        second, third);
      AddHeldWrenches(state, wrenches, first);
      store(Output::kTauByQ, first, size);
      store(Output::kTauByV, second, size);
    }
    if ((wanted_ & Bit(Quantity::kForwardDynamicsDerivatives)) != 0) {
      LoweredState<P> forward = state;
      forward.a = acceleration;
      LoweredInverseDynamicsDerivatives(lowered_, terms, forward, inverse_,
                                        forward_.dtau_dq, forward_.dtau_dv,
                                        third);
      AddHeldWrenches(state, wrenches, forward_.dtau_dq);
      mass_.Invert(third);
      SolveForwardDerivatives(lowered_, forward_, static_cast<const P*>(third),
                              first, second);
      store(Output::kAccelerationByQ, first, size);
      store(Output::kAccelerationByV, second, size);
      store(Output::kAccelerationByTau, third, size);
    }
    if ((wanted_ & Bit(Quantity::kMassMatrixInverse)) != 0) {
      mass_.Invert(first);
      store(Output::kMassMatrixInverse, first, size);
    }
  }

 private:
  /// For those that do not turn with their bodies.
  void AddHeldWrenches(const LoweredState<P>& state,
                       const PlacedWrenches<N>& wrenches, P* dtau_dq) const {
    for (int k = 0; k < wrenches.count; ++k) {
      const PlacedWrench<N>& wrench = wrenches.list[k];
      const LoweredTip<N>& place = wrench.place;
      if (place.reference == ReferenceFrame::kLocal) continue;
      TipPose<P> pose;
      LoweredTipPose(lowered_, place, state, J_, &pose);
      LoweredJacobian(lowered_, place, pose, J_);
      P on_robot[6];
      for (int i = 0; i < 6; ++i) {
        on_robot[i] =
            wrench.on_environment ? -wrench.numbers[i] : wrench.numbers[i];
      }
      AddHeldWrenchDerivative(tree_, place.path[place.length - 1],
                              place.reference, static_cast<const P*>(J_),
                              on_robot, dtau_dq);
    }
  }

  const Tree tree_;
  const LoweredTreeOf<N>& lowered_;
  const QuantityBits wanted_;
  const MassFactors<N>& mass_;
  LoweredDerivativesScratch<P> inverse_{};
  ForwardDerivativesScratch<P> forward_{};
  P* J_ = nullptr;
  P* matrices_ = nullptr;  // three of n x n
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
