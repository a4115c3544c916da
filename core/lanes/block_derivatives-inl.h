// The derivatives of a block's inverse and forward dynamics and M⁻¹, on the
// lowered tree.
#pragma once

#include "core/dynamics/forward_derivatives-inl.h"
#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lowered/kinematics-inl.h"
#include "core/lowered/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

inline constexpr QuantityBits kDerivatives =
    Bit(Quantity::kInverseDynamicsDerivatives) |
    Bit(Quantity::kForwardDynamicsDerivatives) |
    Bit(Quantity::kMassMatrixInverse);

template <class N>
class BlockDerivatives {
 public:
  using P = Pack<N>;

  /// Takes no memory unless derivatives are wanted.
  BlockDerivatives(const Tree& tree, const LoweredTreeOf<N>& lowered,
                   QuantityBits wanted, Carver& carver)
      : tree_(tree), lowered_(lowered), wanted_(wanted & kDerivatives) {
    if (wanted_ == 0) return;
    const auto n = static_cast<unsigned long>(tree.n);
    if (solves()) carver.Take(M_, n * n);
    CarveLoweredDerivatives<P>(n, static_cast<unsigned long>(lowered.slots),
                               carver, inverse_);
    CarveForwardDerivatives<P>(n, carver, forward_);
    carver.Take(J_, 6 * n);
    carver.Take(matrices_, 3 * n * n);
  }

  bool wanted() const { return wanted_ != 0; }

  /// Whether SetMassMatrix comes first.
  bool solves() const {
    return (wanted_ & (Bit(Quantity::kForwardDynamicsDerivatives) |
                       Bit(Quantity::kMassMatrixInverse))) != 0;
  }

  /// Lower half packed.
  void SetMassMatrix(const P* packed) {
    const int n = tree_.n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        M_[i * n + j] = M_[j * n + i] = packed[PackedRow(i) + j];
      }
    }
  }

  /// What is known of M⁻¹ after Compute.
  const MassInverseScratch<P>& inverse() const { return forward_.mass; }

  /// For the tip's wrench, constant in `reference`; null: there is none.
  /// Before the first block.
  void Prepare(const LoweredTip<N>* tip, ReferenceFrame reference) {
    held_ = wanted() && tip != nullptr && reference != ReferenceFrame::kLocal;
    if (!held_) return;
    tip_ = *tip;
    tip_.reference = reference;
    for (int k = 0; k < 6 * tree_.n; ++k) J_[k] = P(N(0));
  }

  /// `state` has the accelerations of inverse dynamics, `acceleration` are
  /// those of forward dynamics; `wrench`, which the tip exerts on the
  /// environment, is part of the terms. Calls store(Output, const P* numbers,
  /// int count).
  template <class Store>
  __attribute__((noinline)) void Compute(const LoweredTerms<P>& terms,
                                         const LoweredState<P>& state,
                                         const P* acceleration, const P* wrench,
                                         const Store& store) {
    const int size = tree_.n * tree_.n;
    P *const first = matrices_, *const second = first + size,
             *const third = second + size;
    if (held_) FindJacobian(state);
    if ((wanted_ & Bit(Quantity::kInverseDynamicsDerivatives)) != 0) {
      LoweredInverseDynamicsDerivatives(lowered_, terms, state, inverse_, first,
                                        second, third);
      AddHeldWrench(wrench, first);
      store(Output::kTauByQ, first, size);
      store(Output::kTauByV, second, size);
    }
    if ((wanted_ & Bit(Quantity::kForwardDynamicsDerivatives)) != 0) {
      LoweredState<P> forward = state;
      forward.a = acceleration;
      LoweredInverseDynamicsDerivatives(lowered_, terms, forward, inverse_,
                                        forward_.dtau_dq, forward_.dtau_dv,
                                        third);
      AddHeldWrench(wrench, forward_.dtau_dq);
      // M⁻¹ is the same beside these derivatives and alone.
      for (int k = 0; k < size; ++k) third[k] = M_[k];
      SolveForwardDerivatives(tree_, forward_, first, second, third);
      store(Output::kAccelerationByQ, first, size);
      store(Output::kAccelerationByV, second, size);
      store(Output::kAccelerationByTau, third, size);
    }
    if ((wanted_ & Bit(Quantity::kMassMatrixInverse)) != 0) {
      InvertMassMatrix(tree_, forward_.mass, M_);
      store(Output::kMassMatrixInverse, M_, size);
    }
  }

 private:
  /// In the reference frame of the wrench.
  void FindJacobian(const LoweredState<P>& state) {
    TipPose<P> pose;
    LoweredTipPose(lowered_, tip_, state, J_, &pose);
    LoweredJacobian(lowered_, tip_, pose, J_);
  }

  void AddHeldWrench(const P* wrench, P* dtau_dq) const {
    if (!held_) return;
    P on_tip[6];
    for (int k = 0; k < 6; ++k) on_tip[k] = -wrench[k];
    AddHeldWrenchDerivative(tree_, tip_.path[tip_.length - 1], tip_.reference,
                            static_cast<const P*>(J_), on_tip, dtau_dq);
  }

  const Tree tree_;
  const LoweredTreeOf<N>& lowered_;
  const QuantityBits wanted_;
  LoweredDerivativesScratch<P> inverse_{};
  ForwardDerivativesScratch<P> forward_{};
  P* J_ = nullptr;
  P* matrices_ = nullptr;  // three of n x n
  P* M_ = nullptr;
  bool held_ = false;  // there is a wrench that does not turn with the tip
  LoweredTip<N> tip_{};
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
