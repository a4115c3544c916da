#pragma once

#include "core/dynamics/applied_wrenches-inl.h"
#include "core/dynamics/coriolis-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/energy-inl.h"
#include "core/dynamics/forward_derivatives-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/jacobian_rate-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/momentum-inl.h"
#include "core/dynamics/power-inl.h"
#include "core/dynamics/quantities.h"
#include "core/dynamics/regressor-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void CarveQuantityScratch(QuantityBits wanted, unsigned long n, Carver& carver,
                          QuantityScratch<T>& s) {
  const auto wants = [wanted](Quantity quantity) {
    return (wanted & Bit(quantity)) != 0;
  };
  unsigned long size = 6 * n > 16 ? 6 * n : 16;
  const auto room_for = [&size](unsigned long count) {
    if (size < count) size = count;
  };
  if (wants(Quantity::kCoriolisMatrix) || wants(Quantity::kMassMatrixRate)) {
    CarveCoriolisScratch(n, carver, s.coriolis);
    room_for(2 * n * n);
  }
  if (wants(Quantity::kChristoffelSymbols)) room_for(n * n * n);
  if (wants(Quantity::kRegressor)) room_for(10 * n * n);
  if (wants(Quantity::kInverseDynamicsDerivatives) ||
      wants(Quantity::kForwardDynamicsDerivatives)) {
    CarveRneaDerivatives(n, carver, s.inverse_derivatives);
    room_for(3 * n * n);
  }
  if ((wanted & kSolvesMassMatrixGeneral) != 0) {
    CarveForwardDerivatives(n, carver, s.forward_derivatives);
    room_for(n * n);
  }
  carver.Take(s.result, size);
}

/// Of the quantities that take nothing but a general text those that are
/// wanted. Needs X, and X_world; uses all of `scratch` but what the inputs say.
/// Calls store(Output, const T* numbers, int count).
template <class T, class Store>
class QuantityTexts {
 public:
  QuantityTexts(const QuantityInputs<T>& in, Scratch<T>& scratch,
                QuantityScratch<T>& own, const Store& store)
      : in_(in),
        tree_(in.tree),
        n_(in.tree.n),
        scratch_(scratch),
        own_(own),
        result_(own.result),
        store_(store) {}

  void Compute(QuantityBits wanted) {
    wanted_ = wanted;
    Forces();
    Coriolis();
    MassMatrixInverse();
    EnergyAndMomentum();
    Motions();
    Wrenches();
    Power();
    Regressor();
    Derivatives();
  }

 private:
  bool Wants(Quantity quantity) const { return (wanted_ & Bit(quantity)) != 0; }

  void Forces() {
    const T* const none = nullptr;
    DynamicsTerms terms = in_.terms;
    terms.viscous_friction = terms.coulomb_friction = false;
    terms.external_wrenches = false;
    const bool moves = in_.base != nullptr;
    if (Wants(Quantity::kGravityForces)) {
      BaseMotion<T> still = {Twist<T>::Zero(), Twist<T>::Zero()};
      if (moves) still.g = in_.base->g;
      InverseDynamics(tree_, terms, none, none, scratch_, result_,
                      moves ? &still : nullptr);
      store_(Output::kGravity, result_, n_);
    }
    if (Wants(Quantity::kCoriolisForces)) {
      for (double& g : terms.gravity) g = 0;
      BaseMotion<T> weightless;
      if (moves) weightless = {in_.base->V, in_.base->A};
      InverseDynamics(tree_, terms, in_.v, none, scratch_, result_,
                      moves ? &weightless : nullptr);
      store_(Output::kCoriolis, result_, n_);
    }
  }

  void Coriolis() {
    if (Wants(Quantity::kCoriolisMatrix) || Wants(Quantity::kMassMatrixRate)) {
      T *const C = result_, *const rate = result_ + n_ * n_;
      CoriolisMatrix(tree_, in_.v, scratch_, own_.coriolis, C);
      store_(Output::kCoriolisMatrix, C, n_ * n_);
      if (Wants(Quantity::kMassMatrixRate)) {
        MassMatrixRate(n_, C, rate);
        store_(Output::kMassMatrixRate, rate, n_ * n_);
      }
    }
    if (Wants(Quantity::kChristoffelSymbols)) {
      ChristoffelSymbols(tree_, scratch_, result_);
      store_(Output::kChristoffel, result_, n_ * n_ * n_);
    }
  }

  void MassMatrixInverse() {
    if (!Wants(Quantity::kMassMatrixInverse)) return;
    MassMatrix(tree_, scratch_, result_);
    InvertMassMatrix(tree_, own_.forward_derivatives.mass, result_);
    store_(Output::kMassMatrixInverse, result_, n_ * n_);
  }

  void EnergyAndMomentum() {
    if (Wants(Quantity::kEnergy)) {
      const T kinetic = KineticEnergy(tree_, in_.v, scratch_, in_.base);
      store_(Output::kKineticEnergy, &kinetic, 1);
      const T potential =
          PotentialEnergy(tree_, in_.terms.gravity, scratch_, in_.base);
      store_(Output::kPotentialEnergy, &potential, 1);
    }
    if (Wants(Quantity::kCenterOfMass) || Wants(Quantity::kMomentum)) {
      T com[3], com_velocity[3], momentum[6];
      CentroidalMomentum(tree_, in_.v, scratch_, com, com_velocity, momentum,
                         in_.base);
      if (Wants(Quantity::kCenterOfMass)) {
        store_(Output::kCenterOfMass, com, 3);
        store_(Output::kCenterOfMassVelocity, com_velocity, 3);
      }
      if (Wants(Quantity::kMomentum)) store_(Output::kMomentum, momentum, 6);
    }
    if (Wants(Quantity::kMomentumMatrix)) {
      CentroidalMomentumMatrix(tree_, scratch_, result_);
      store_(Output::kMomentumMatrix, result_, 6 * n_);
    }
  }

  void Motions() {
    if (Wants(Quantity::kLinkTwists) || Wants(Quantity::kLinkAccelerations) ||
        Wants(Quantity::kFrameVelocity) ||
        Wants(Quantity::kFrameAcceleration)) {
      ComputeBodyMotions(tree_, in_.v, in_.a, scratch_, in_.base);
    }
    if (Wants(Quantity::kLinkTwists)) {
      StoreBodyVectors(tree_, scratch_.V, result_);
      store_(Output::kLinkTwists, result_, 6 * n_);
    }
    if (Wants(Quantity::kLinkAccelerations)) {
      StoreBodyVectors(tree_, scratch_.A, result_);
      store_(Output::kLinkAccelerations, result_, 6 * n_);
    }
    if (Wants(Quantity::kFrameVelocity)) {
      FrameTwist(tree_, *in_.tip, in_.reference, scratch_, result_, in_.base);
      store_(Output::kFrameVelocity, result_, 6);
    }
    if (Wants(Quantity::kFrameAcceleration)) {
      FrameAcceleration(tree_, *in_.tip, in_.reference,
                        AccelerationKind::kSpatial, scratch_, result_,
                        in_.base);
      store_(Output::kFrameAcceleration, result_, 6);
      FrameAcceleration(tree_, *in_.tip, in_.reference,
                        AccelerationKind::kClassical, scratch_, result_,
                        in_.base);
      store_(Output::kFrameAccelerationClassical, result_, 6);
    }
    if (Wants(Quantity::kJacobianRate)) {
      FrameJacobianRate(tree_, *in_.tip, in_.reference, in_.v, scratch_,
                        result_);
      store_(Output::kJacobianRate, result_, 6 * n_);
    }
  }

  void Wrenches() {
    if (!Wants(Quantity::kJointWrenches) && !Wants(Quantity::kBaseWrench)) {
      return;
    }
    InverseDynamics(tree_, in_.terms, in_.v, in_.a, scratch_, result_,
                    in_.base);
    if (Wants(Quantity::kJointWrenches)) {
      JointWrenches(tree_, scratch_, result_);
      store_(Output::kJointWrenches, result_, 6 * n_);
    }
    if (Wants(Quantity::kBaseWrench)) {
      BaseReaction(tree_, scratch_, result_);
      store_(Output::kBaseWrench, result_, 6);
    }
  }

  void Power() {
    if (!Wants(Quantity::kPowerBalance)) return;
    T power[kPowerShareCount];
    PowerBalance(tree_, in_.terms, in_.v, in_.a, in_.wrenches, scratch_,
                 result_, power, in_.base);
    store_(Output::kPowerBalance, power, kPowerShareCount);
  }

  void Regressor() {
    if (!Wants(Quantity::kRegressor)) return;
    TorqueRegressor(tree_, in_.terms, in_.v, in_.a, scratch_, result_,
                    in_.base);
    store_(Output::kRegressor, result_, 10 * n_ * n_);
  }

  void Derivatives() {
    const bool forward = Wants(Quantity::kForwardDynamicsDerivatives);
    const bool inverse = Wants(Quantity::kInverseDynamicsDerivatives);
    if (!forward && !inverse) return;
    T *const first = result_, *const second = first + n_ * n_,
             *const third = second + n_ * n_;
    if (inverse) {
      InverseDynamicsDerivatives(tree_, in_.terms, in_.v, in_.a, scratch_,
                                 own_.inverse_derivatives, first, second, third,
                                 in_.base);
      AddHeldWrenchDerivatives(tree_, in_.wrenches, scratch_, first);
      store_(Output::kTauByQ, first, n_ * n_);
      store_(Output::kTauByV, second, n_ * n_);
    }
    if (forward) {
      const ForwardDerivativesScratch<T>& own = own_.forward_derivatives;
      InverseDynamicsDerivatives(
          tree_, in_.terms, in_.v, in_.forward_acceleration, scratch_,
          own_.inverse_derivatives, own.dtau_dq, own.dtau_dv, third, in_.base);
      AddHeldWrenchDerivatives(tree_, in_.wrenches, scratch_, own.dtau_dq);
      // M⁻¹ is the same beside these derivatives and alone.
      MassMatrix(tree_, scratch_, third);
      SolveForwardDerivatives(tree_, own, first, second, third);
      store_(Output::kAccelerationByQ, first, n_ * n_);
      store_(Output::kAccelerationByV, second, n_ * n_);
      store_(Output::kAccelerationByTau, third, n_ * n_);
    }
  }

  const QuantityInputs<T>& in_;
  const Tree& tree_;
  const int n_;
  Scratch<T>& scratch_;
  QuantityScratch<T>& own_;
  T* const result_;
  const Store& store_;
  QuantityBits wanted_ = 0;
};

/// See QuantityTexts.
template <class T, class Store>
void ComputeQuantities(QuantityBits wanted, const QuantityInputs<T>& in,
                       Scratch<T>& scratch, QuantityScratch<T>& own,
                       const Store& store) {
  QuantityTexts<T, Store>(in, scratch, own, store).Compute(wanted);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
