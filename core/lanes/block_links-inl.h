// What the links of a block's robots do, and what follows from it for the whole
// robot, on the lowered tree.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_derivatives-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lowered/christoffel-inl.h"
#include "core/lowered/links-inl.h"
#include "core/lowered/regressor-inl.h"
#include "core/lowered/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// W each. The first two are the rates of energies; the rest, whose sum is the
/// sum of these two, are the powers of what acts on the robot.
enum PowerShare {
  kKineticRate,    // dK/dt, rotors (armature) included
  kPotentialRate,  // dP/dt, of a P in an inertial frame
  kActuatorPower,  // τᵀ q̇, τ of inverse dynamics
  kViscousPower,   // −q̇ᵀ F_v q̇
  kCoulombPower,   // −Σ F_s sgn(q̇) q̇
  kTipPower,       // −Fᵀ V of what the robot exerts on the environment
  kExternalPower,  // Wᵀ V of what acts on the robot
  kBasePower,      // V_0ᵀ F_base
  kPowerShareCount
};

/// What BlockLinks reads of a block.
template <class N>
struct LinkInputs {
  using P = Pack<N>;
  const LoweredTerms<P>& terms;
  const LoweredTerms<P>& under_wrenches;
  const PlacedWrenches<N>& wrenches;  // those of the terms
  const LoweredState<P>& state;
  const LoweredTip<N>& tip;
  const TipPose<P>& pose;
  const P* J;  // of the tip
  const LoweredScratch<P>& scratch;
};

template <class N>
class BlockLinks {
 public:
  using P = Pack<N>;

  /// Takes no memory unless one of its quantities is wanted.
  BlockLinks(const Tree& tree, const LoweredTreeOf<N>& lowered,
             QuantityBits wanted, Carver& carver)
      : lowered_(lowered), n_(tree.n), wanted_(wanted & kKnown) {
    if (wanted_ == 0) return;
    double mass = 0;
    for (int i = 0; i < n_; ++i) mass += tree.bodies[i].mass;
    // A robot without mass has its centre of mass at the base's origin.
    inverse_mass_ = P(N(mass > 0 ? 1 / mass : 0));
    const auto n = static_cast<unsigned long>(n_);
    carver.Take(V_, n);
    carver.Take(A_, n);
    carver.Take(h_, n);
    carver.Take(motion_, n);
    carver.Take(X_, n);
    carver.Take(sum_, n);
    carver.Take(tau_, n);
    unsigned long size = 6 * n;
    if (Wants(kOfTheRate)) {
      CarveLoweredDerivatives<P>(n, static_cast<unsigned long>(lowered.slots),
                                 carver, derivatives_);
      size = 2 * n * n;
    }
    if (Wants(Bit(Quantity::kRegressor))) size = 10 * n * n;
    if (Wants(Bit(Quantity::kChristoffelSymbols)) && size < n * n * n) {
      size = n * n * n;
    }
    carver.Take(result_, size < 6 * n ? 6 * n : size);
  }

  bool wanted() const { return wanted_ != 0; }
  /// Whether they read the pose and the Jacobian of the tip.
  bool wants_pose() const { return Wants(kOfTheTip); }
  bool wants_jacobian() const { return Wants(Bit(Quantity::kJacobianRate)); }

  /// Calls store(Output, const P* numbers, int count).
  template <class Store>
  __attribute__((noinline)) void Compute(const LinkInputs<N>& in,
                                         const Store& store) {
    const LoweredState<P>& state = in.state;
    const BaseMotion<P>* const base = in.terms.base;
    if (Wants(kOfTwists)) LoweredTwists(lowered_, state, base, V_);
    if (Wants(kOfAccelerations)) {
      LoweredAccelerations(lowered_, state, base, twists(), A_);
    }
    if (Wants(Bit(Quantity::kLinkTwists))) {
      StoreInOwnFrames(V_, Output::kLinkTwists, store);
    }
    if (Wants(Bit(Quantity::kLinkAccelerations))) {
      StoreInOwnFrames(A_, Output::kLinkAccelerations, store);
    }
    if (Wants(kOfPoses)) LoweredPoses(lowered_, state, X_);
    if (Wants(kOfTheTip)) TipMotion(in, store);
    if (Wants(kOfCentres)) Centres(in, store);
    if (Wants(kOfMotions)) {
      LoweredMotions(lowered_, in.terms, state, motion_);
    }
    if (Wants(Bit(Quantity::kPowerBalance))) Power(in, store);
    if (Wants(kOfWrenches)) Wrenches(in, store);
    // Accelerations make room for screws.
    if (Wants(Bit(Quantity::kRegressor))) {
      LoweredRegressor(lowered_, motions(), poses(), A_, result_);
      store(Output::kRegressor, result_, 10 * n_ * n_);
    }
    if (Wants(kOfTheRate)) MassMatrixRates(in, store);
    if (Wants(Bit(Quantity::kChristoffelSymbols))) {
      LoweredComposites(lowered_, state, sum_);
      LoweredChristoffel(lowered_, state, poses(), sum_, in.scratch.F, A_,
                         result_);
      store(Output::kChristoffel, result_, n_ * n_ * n_);
    }
  }

 private:
  static constexpr QuantityBits kOfTheRate =
      Bit(Quantity::kCoriolisMatrix) | Bit(Quantity::kMassMatrixRate);
  static constexpr QuantityBits kOfTheTip = Bit(Quantity::kFrameVelocity) |
                                            Bit(Quantity::kFrameAcceleration) |
                                            Bit(Quantity::kJacobianRate);
  static constexpr QuantityBits kOfCentres =
      Bit(Quantity::kEnergy) | Bit(Quantity::kCenterOfMass) |
      Bit(Quantity::kMomentum) | Bit(Quantity::kMomentumMatrix);
  static constexpr QuantityBits kOfAccelerations =
      Bit(Quantity::kLinkAccelerations) | Bit(Quantity::kPowerBalance);
  static constexpr QuantityBits kOfTwists =
      kOfAccelerations | Bit(Quantity::kLinkTwists) | Bit(Quantity::kEnergy) |
      Bit(Quantity::kCenterOfMass) | Bit(Quantity::kMomentum);
  static constexpr QuantityBits kOfWrenches =
      Bit(Quantity::kJointWrenches) | Bit(Quantity::kBaseWrench);
  static constexpr QuantityBits kOfMotions =
      kOfWrenches | Bit(Quantity::kRegressor) | Bit(Quantity::kPowerBalance);
  static constexpr QuantityBits kOfPoses = Bit(Quantity::kMomentumMatrix) |
                                           Bit(Quantity::kRegressor) |
                                           Bit(Quantity::kChristoffelSymbols);
  static constexpr QuantityBits kKnown =
      kOfTheRate | kOfTheTip | kOfCentres | kOfTwists | kOfMotions | kOfPoses;

  bool Wants(QuantityBits quantities) const {
    return (wanted_ & quantities) != 0;
  }
  const Twist<P>* twists() const { return V_; }
  const LinkMotion<P>* motions() const { return motion_; }
  const PoseRows<P>* poses() const { return X_; }

  /// Spatial vectors, by body.
  template <class Vector, class Storing>
  void StoreInOwnFrames(const Vector* vectors, Output output,
                        const Storing& store) {
    for (int i = 0; i < n_; ++i) {
      Store(ToParent(OwnFrame<P>(lowered_, i), vectors[i]), result_ + 6 * i);
    }
    store(output, result_, 6 * n_);
  }

  template <class Storing>
  void TipMotion(const LinkInputs<N>& in, const Storing& store) {
    if (Wants(Bit(Quantity::kFrameVelocity) |
              Bit(Quantity::kFrameAcceleration))) {
      P numbers[6];
      Twist<P> V, A;
      LoweredTipTwists(lowered_, in.tip, in.state, in.terms.base, &V, &A);
      V = InReference(in.tip, in.pose, V);
      A = InReference(in.tip, in.pose, A);
      Store(V, numbers);
      store(Output::kFrameVelocity, numbers, 6);
      Store(A, numbers);
      store(Output::kFrameAcceleration, numbers, 6);
      A.v += Cross(V.w, V.v);
      Store(A, numbers);
      store(Output::kFrameAccelerationClassical, numbers, 6);
    }
    if (Wants(Bit(Quantity::kJacobianRate))) {
      LoweredJacobianRate(lowered_, in.tip, in.state.v, in.pose, in.J, result_);
      store(Output::kJacobianRate, result_, 6 * n_);
    }
  }

  template <class Storing>
  void Centres(const LinkInputs<N>& in, const Storing& store) {
    const BaseMotion<P>* const base = in.terms.base;
    const Vec3<P> h = LoweredFirstMoment(lowered_, in.state, h_);
    const Vec3<P> com = h * inverse_mass_;
    if (Wants(Bit(Quantity::kEnergy))) {
      const P kinetic =
          LoweredPowerOfMomenta(lowered_, in.state.v, in.state.v, base,
                                base == nullptr ? nullptr : &base->V, twists(),
                                twists()) *
          P(N(0.5));
      store(Output::kKineticEnergy, &kinetic, 1);
      const P potential = -Dot(in.terms.gravity, h);
      store(Output::kPotentialEnergy, &potential, 1);
    }
    P numbers[6];
    if (Wants(Bit(Quantity::kCenterOfMass) | Bit(Quantity::kMomentum))) {
      Wrench<P> momentum =
          LoweredMomentum(lowered_, in.state, base, twists(), in.scratch.F);
      momentum.m -= Cross(com, momentum.f);
      Store(momentum, numbers);
      store(Output::kMomentum, numbers, 6);
      Store(com, numbers);
      store(Output::kCenterOfMass, numbers, 3);
      Store(momentum.f * inverse_mass_, numbers);
      store(Output::kCenterOfMassVelocity, numbers, 3);
    }
    if (Wants(Bit(Quantity::kMomentumMatrix))) {
      LoweredComposites(lowered_, in.state, sum_);
      LoweredMomentumMatrix(lowered_, poses(),
                            static_cast<const CompositeMoments<P>*>(sum_), com,
                            result_);
      store(Output::kMomentumMatrix, result_, 6 * n_);
    }
  }

  template <class Storing>
  void Wrenches(const LinkInputs<N>& in, const Storing& store) {
    P numbers[6];
    Store(LoweredJointWrenches(lowered_, in.under_wrenches, in.state, motions(),
                               in.scratch.F),
          numbers);
    store(Output::kBaseWrench, numbers, 6);
    if (!Wants(Bit(Quantity::kJointWrenches))) return;
    for (int i = 0; i < n_; ++i) {
      in.scratch.F[i] +=
          HandedWrench(lowered_.bodies[i], lowered_.handed[i], motion_[i]);
    }
    StoreInOwnFrames(in.scratch.F, Output::kJointWrenches, store);
  }

  template <class Storing>
  void Power(const LinkInputs<N>& in, const Storing& store) {
    const LoweredTerms<P>& terms = in.under_wrenches;
    const LoweredState<P>& state = in.state;
    P power[kPowerShareCount];
    for (P& share : power) share = P(N(0));
    if (terms.base != nullptr) {
      power[kBasePower] = Dot(
          LoweredJointWrenches(lowered_, terms, state, motions(), in.scratch.F),
          terms.base->V);
    }
    LinkMotion<P> unused;
    LoweredInverseDynamics(lowered_, terms, state, in.scratch, tau_, kBase,
                           &unused);
    for (int i = 0; i < n_; ++i) {
      const LoweredBody<N>& body = lowered_.bodies[i];
      const P& v = state.v[i];
      power[kActuatorPower] += tau_[i] * v;
      if (terms.viscous_friction) {
        power[kViscousPower] -= P(body.viscous_friction) * v * v;
      }
      if (terms.coulomb_friction) {
        power[kCoulombPower] -= CoulombFriction(body, terms, v) * v;
      }
    }
    power[kKineticRate] =
        LoweredPowerOfMomenta(lowered_, state.v, state.a, terms.base,
                              terms.base == nullptr ? nullptr : &terms.base->A,
                              twists(), static_cast<const Twist<P>*>(A_));
    // Subtracted from a zero that has no sign of its own.
    power[kPotentialRate] -= Dot(
        terms.gravity,
        LoweredMomentum(lowered_, state, terms.base, twists(), in.scratch.F).f);
    for (int k = 0; k < in.wrenches.count; ++k) {
      const BodyWrench<P>& wrench = terms.wrenches[k];
      const bool by_tip = in.wrenches.list[k].on_environment;
      power[by_tip ? kTipPower : kExternalPower] +=
          Dot(wrench.W, V_[wrench.body]);
    }
    store(Output::kPowerBalance, power, kPowerShareCount);
  }

  /// The mass matrix changes with the motion of the joints alone: c is
  /// quadratic in q̇, with the derivative 2 C.
  template <class Storing>
  void MassMatrixRates(const LinkInputs<N>& in, const Storing& store) {
    P *const C = result_, *const rate = result_ + n_ * n_;
    LoweredCoriolisMatrix(lowered_, in.state, derivatives_, C);
    store(Output::kCoriolisMatrix, C, n_ * n_);
    if (!Wants(Bit(Quantity::kMassMatrixRate))) return;
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) {
        const P sum = C[i * n_ + j] + C[j * n_ + i];
        rate[i * n_ + j] = sum;
        rate[j * n_ + i] = sum;
      }
    }
    store(Output::kMassMatrixRate, rate, n_ * n_);
  }

  const LoweredTreeOf<N>& lowered_;
  const int n_;
  const QuantityBits wanted_;
  P inverse_mass_;
  Twist<P>*V_ = nullptr, *A_ = nullptr;
  Vec3<P>* h_ = nullptr;
  LinkMotion<P>* motion_ = nullptr;
  PoseRows<P>* X_ = nullptr;
  CompositeMoments<P>* sum_ = nullptr;
  P *tau_ = nullptr, *result_ = nullptr;
  LoweredDerivativesScratch<P> derivatives_{};
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
