// Motions and wrenches of the links of a block's robots, and their sums for the
// whole robot, on the compiled tree.
#pragma once

#include "core/dynamics/christoffel-inl.h"
#include "core/dynamics/links-inl.h"
#include "core/dynamics/regressor-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_derivatives-inl.h"
#include "core/engine/block_job.h"
#include "core/math/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The part of a block that BlockLinks reads.
template <class N>
struct LinkInputs {
  using P = Pack<N>;
  const DynamicsTerms<P>& terms;
  const DynamicsTerms<P>& under_wrenches;
  const PlacedWrenches<N>& wrenches;  // those of the terms
  const Configuration<P>& state;
  const TipFrame& tip;
  const TipPose<P>& pose;
  const P* J;  // of the tip
  const RecursionScratch<P>& scratch;
};

template <class N>
class BlockLinks {
 public:
  using P = Pack<N>;

  /// Takes no memory unless one of its quantities is wanted.
  BlockLinks(const Tree& tree, const CompiledTree<N>& compiled,
             QuantityBits wanted, Arena& arena)
      : compiled_(compiled), n_(tree.n), wanted_(wanted & kKnown) {
    if (wanted_ == 0) return;
    double mass = 0;
    for (int i = 0; i < n_; ++i) mass += tree.bodies[i].mass;
    // A robot without mass has its centre of mass at the base's origin.
    inverse_mass_ = P(N(mass > 0 ? 1 / mass : 0));
    const auto n = static_cast<unsigned long>(n_);
    arena.Take(result_, Wants(kChristoffelSymbols) ? n * n * n + 6 * n : 6 * n);
    arena.Take(V_, n);
    arena.Take(A_, n);
    arena.Take(h_, n);
    arena.Take(motion_, n);
    arena.Take(X_, n);
    arena.Take(sum_, n);
    arena.Take(tau_, n);
    if (Wants(kOfTheRate)) {
      LayoutDerivatives<P>(n, static_cast<unsigned long>(compiled.slots), arena,
                           derivatives_);
      arena.Take(rates_, 2 * n * n);
    }
    if (Wants(kRegressor)) arena.Take(regressor_, 10 * n * n);
  }

  bool wanted() const { return wanted_ != 0; }
  /// Whether they read the pose and the Jacobian of the tip.
  bool wants_pose() const { return Wants(kOfTheTip); }
  bool wants_jacobian() const { return Wants(kJacobianRate); }

  /// Before the first block: zeros between branches, which no block writes.
  void Prepare() {
    const long size = long{n_} * n_;
    const auto clear = [](P* packs, long count) {
      for (long k = 0; k < count; ++k) packs[k] = P(N(0));
    };
    if (Wants(kRegressor)) clear(regressor_, 10 * size);
    if (Wants(kOfTheRate) && !compiled_.chain) clear(rates_, 2 * size);
  }

  /// Calls store(Output, const P* numbers, int count).
  template <class Store>
  __attribute__((noinline)) void Compute(const LinkInputs<N>& in,
                                         const Store& store) {
    const Configuration<P>& state = in.state;
    const BaseMotion<P>* const base = in.terms.base;
    if (Wants(kOfTwists)) LinkTwists(compiled_, state, base, V_);
    if (Wants(kOfAccelerations)) {
      LinkAccelerations(compiled_, state, base, V_, A_);
    }
    if (Wants(kLinkTwists)) {
      StoreInOwnFrames(V_, Output::kLinkTwists, store);
    }
    if (Wants(kLinkAccelerations)) {
      StoreInOwnFrames(A_, Output::kLinkAccelerations, store);
    }
    if (Wants(kOfPoses)) LinkPoses(compiled_, state, X_);
    if (Wants(kOfTheTip)) TipMotion(in, store);
    if (Wants(kOfCentres)) Centres(in, store);
    if (Wants(kOfMotions)) {
      LinkMotions(compiled_, in.terms, state, motion_);
    }
    if (Wants(kPowerBalance)) Power(in, store);
    if (Wants(kOfWrenches)) Wrenches(in, store);
    // Accelerations make room for screws.
    if (Wants(kRegressor)) {
      Regressor(compiled_, motion_, X_, A_, regressor_);
      store(Output::kRegressor, regressor_, 10 * n_ * n_);
    }
    if (Wants(kOfTheRate)) MassMatrixRates(in, store);
    if (Wants(kChristoffelSymbols)) {
      CompositeInertias(compiled_, state, sum_);
      Christoffel(compiled_, state, X_, sum_, in.scratch.F, A_, result_);
      store(Output::kChristoffel, result_, n_ * n_ * n_);
    }
  }

 private:
  using enum Quantity;

  template <class... Quantities>
  static constexpr QuantityBits Set(Quantities... quantities) {
    return (Bit(quantities) | ...);
  }
  static constexpr QuantityBits kOfTheRate =
      Set(kCoriolisMatrix, kMassMatrixRate);
  static constexpr QuantityBits kOfTheTip =
      Set(kFrameVelocity, kFrameAcceleration, kJacobianRate);
  static constexpr QuantityBits kOfCentres =
      Set(kEnergy, kCenterOfMass, kMomentum, kMomentumMatrix);
  static constexpr QuantityBits kOfAccelerations =
      Set(kLinkAccelerations, kPowerBalance);
  static constexpr QuantityBits kOfTwists =
      kOfAccelerations | Set(kLinkTwists, kEnergy, kCenterOfMass, kMomentum);
  static constexpr QuantityBits kOfWrenches = Set(kJointWrenches, kBaseWrench);
  static constexpr QuantityBits kOfMotions =
      kOfWrenches | Set(kRegressor, kPowerBalance);
  static constexpr QuantityBits kOfPoses =
      Set(kMomentumMatrix, kRegressor, kChristoffelSymbols);
  static constexpr QuantityBits kKnown =
      kOfTheRate | kOfTheTip | kOfCentres | kOfTwists | kOfMotions | kOfPoses;

  bool Wants(QuantityBits quantities) const {
    return (wanted_ & quantities) != 0;
  }
  bool Wants(Quantity quantity) const { return Wants(Bit(quantity)); }

  /// The numbers of a spatial vector (angular; linear), or of one of three.
  template <class Vector>
  static const P* Numbers(const Vector& vector) {
    return reinterpret_cast<const P*>(&vector);
  }

  /// Spatial vectors, by body.
  template <class Vector, class Storing>
  void StoreInOwnFrames(const Vector* vectors, Output output,
                        const Storing& store) {
    auto* const own = reinterpret_cast<Vector*>(result_);
    for (int i = 0; i < n_; ++i) {
      own[i] = ToOwnFrame<P>(compiled_, i, vectors[i]);
    }
    store(output, result_, 6 * n_);
  }

  template <class Storing>
  void TipMotion(const LinkInputs<N>& in, const Storing& store) {
    if (Wants(Set(kFrameVelocity, kFrameAcceleration))) {
      Twist<P> V, A;
      TipTwists(compiled_, in.tip, in.state, in.terms.base, &V, &A);
      V = InReference(in.tip, in.pose, V);
      A = InReference(in.tip, in.pose, A);
      store(Output::kFrameVelocity, Numbers(V), 6);
      store(Output::kFrameAcceleration, Numbers(A), 6);
      A.v += Cross(V.w, V.v);
      store(Output::kFrameAccelerationClassical, Numbers(A), 6);
    }
    if (Wants(kJacobianRate)) {
      JacobianRate(compiled_, in.tip, in.state.v, in.pose, in.J, result_);
      store(Output::kJacobianRate, result_, 6 * n_);
    }
  }

  template <class Storing>
  void Centres(const LinkInputs<N>& in, const Storing& store) {
    const BaseMotion<P>* const base = in.terms.base;
    const Vec3<P> h = FirstMoment(compiled_, in.state, h_);
    const Vec3<P> com = h * inverse_mass_;
    if (Wants(kEnergy)) {
      const P kinetic =
          PowerOfMomenta(compiled_, in.state.v, in.state.v, base,
                         base == nullptr ? nullptr : &base->V, V_, V_) *
          P(N(0.5));
      store(Output::kKineticEnergy, &kinetic, 1);
      const P potential = -Dot(in.terms.gravity, h);
      store(Output::kPotentialEnergy, &potential, 1);
    }
    if (Wants(Set(kCenterOfMass, kMomentum))) {
      Wrench<P> momentum =
          Momentum(compiled_, in.state, base, V_, in.scratch.F);
      momentum.m -= Cross(com, momentum.f);
      const Vec3<P> velocity = momentum.f * inverse_mass_;
      store(Output::kMomentum, Numbers(momentum), 6);
      store(Output::kCenterOfMass, Numbers(com), 3);
      store(Output::kCenterOfMassVelocity, Numbers(velocity), 3);
    }
    if (Wants(kMomentumMatrix)) {
      CompositeInertias(compiled_, in.state, sum_);
      MomentumMatrix(compiled_, X_, sum_, com, result_);
      store(Output::kMomentumMatrix, result_, 6 * n_);
    }
  }

  template <class Storing>
  void Wrenches(const LinkInputs<N>& in, const Storing& store) {
    Wrench<P>* const F = in.scratch.F;
    const Wrench<P> on_base =
        JointWrenches(compiled_, in.under_wrenches, in.state, motion_, F);
    store(Output::kBaseWrench, Numbers(on_base), 6);
    if (!Wants(kJointWrenches)) return;
    for (int i = 0; i < n_; ++i) {
      F[i] +=
          HandedWrench(compiled_.bodies[i], compiled_.handed[i], motion_[i]);
    }
    StoreInOwnFrames(F, Output::kJointWrenches, store);
  }

  /// W each. The first two are the rates of energies; the rest, whose sum is
  /// the sum of these two, are the powers of what acts on the robot.
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

  template <class Storing>
  void Power(const LinkInputs<N>& in, const Storing& store) {
    const DynamicsTerms<P>& terms = in.under_wrenches;
    const Configuration<P>& state = in.state;
    const BaseMotion<P>* const base = terms.base;
    P power[kPowerShareCount];
    for (P& share : power) share = P(N(0));
    if (base != nullptr) {
      power[kBasePower] =
          Dot(JointWrenches(compiled_, terms, state, motion_, in.scratch.F),
              base->V);
    }
    LinkMotion<P> unused;
    Rnea(compiled_, terms, state, in.scratch, tau_, kBase, &unused);
    for (int i = 0; i < n_; ++i) {
      const CompiledBody<N>& body = compiled_.bodies[i];
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
        PowerOfMomenta(compiled_, state.v, state.a, base,
                       base == nullptr ? nullptr : &base->A, V_, A_);
    // Subtracted from a zero that has no sign of its own.
    power[kPotentialRate] -= Dot(
        terms.gravity, Momentum(compiled_, state, base, V_, in.scratch.F).f);
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
    P *const C = rates_, *const rate = rates_ + n_ * n_;
    CoriolisMatrix(compiled_, in.state, derivatives_, C);
    store(Output::kCoriolisMatrix, C, n_ * n_);
    if (!Wants(kMassMatrixRate)) return;
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) {
        const P sum = C[i * n_ + j] + C[j * n_ + i];
        rate[i * n_ + j] = sum;
        rate[j * n_ + i] = sum;
      }
    }
    store(Output::kMassMatrixRate, rate, n_ * n_);
  }

  const CompiledTree<N>& compiled_;
  const int n_;
  const QuantityBits wanted_;
  P inverse_mass_;
  Twist<P>*V_ = nullptr, *A_ = nullptr;
  Vec3<P>* h_ = nullptr;
  LinkMotion<P>* motion_ = nullptr;
  PoseRows<P>* X_ = nullptr;
  CompositeMoments<P>* sum_ = nullptr;
  P *tau_ = nullptr, *result_ = nullptr, *regressor_ = nullptr;
  P* rates_ = nullptr;
  DerivativesScratch<P> derivatives_{};
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
