// A job's rows, one block of lanes at a time: from the caller's tables to
// packs, through the algorithms, and back.
#pragma once

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/engine/block_derivatives-inl.h"
#include "core/engine/block_inputs-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/block_links-inl.h"
#include "core/engine/block_outputs-inl.h"
#include "core/engine/block_task-inl.h"
#include "core/engine/functions.h"
#include "core/engine/mass_factors-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The doubts of a row with an input that is not finite.
inline constexpr QuantityBits kAllQuantities = ~QuantityBits{0};

/// Quantities that need the acceleration of forward dynamics.
inline constexpr QuantityBits kOfAcceleration =
    Bit(Quantity::kForwardDynamics) | Bit(Quantity::kForwardFrameAcceleration);

/// Which rows of a block need another look, and for which quantities.
template <int kLanes>
class FallbackMask {
 public:
  TORQUED_INLINE void Clear() { lanes_ = 0; }
  TORQUED_INLINE bool any() const { return lanes_ != 0; }

  /// `lanes`: one bit each.
  TORQUED_INLINE void Add(QuantityBits quantities, unsigned lanes) {
    if (lanes != 0) [[unlikely]] {
      Note(quantities, lanes);
    }
  }

  /// Lists the first `count` lanes' rows, of which the first is `row`; returns
  /// how many there are.
  int List(long long row, int count, FallbackRow* rows) const {
    int listed = 0;
    for (int l = 0; l < count; ++l) {
      if (Has(lanes_, l)) rows[listed++] = {row + l, quantities_[l]};
    }
    return listed;
  }

 private:
  static bool Has(unsigned lanes, int l) { return (lanes >> l & 1u) != 0; }

  __attribute__((noinline, cold)) void Note(QuantityBits quantities,
                                            unsigned lanes) {
    for (int l = 0; l < kLanes; ++l) {
      if (!Has(lanes, l)) continue;
      quantities_[l] = (Has(lanes_, l) ? quantities_[l] : 0U) | quantities;
    }
    lanes_ |= lanes;
  }

  unsigned lanes_ = 0;
  QuantityBits quantities_[kLanes] = {};  // of the lanes that are set
};

template <class N>
class BlockEvaluation {
 public:
  /// `memory` may be null to learn how much it takes.
  BlockEvaluation(const BlockJob& job, void* memory)
      : job_(job),
        setup_(*job.setup),
        compiled_(Compiled(setup_)),
        n_(compiled_.n),
        wanted_(job.Quantities()),
        wants_acceleration_(Wants(Output::kAcceleration) ||
                            Wants(Output::kForwardFrameAcceleration)),
        by_factorization_(n_ <= 12),
        factorizes_(job.task || (wanted_ & kTakesInverse) != 0 ||
                    (by_factorization_ && wants_acceleration_)),
        arena_(memory),
        in_(job, arena_),
        out_(job, arena_),
        mass_(compiled_, {setup_.tip.path, setup_.tip.path_length}, arena_),
        certificate_(setup_, compiled_, factorizes_ || wants_acceleration_,
                     arena_),
        task_(job, wanted_, mass_, arena_),
        derivatives_(setup_.tree, compiled_, wanted_, mass_, arena_),
        links_(setup_.tree, compiled_, wanted_, arena_),
        wants_jacobian_(Wants(Output::kJacobian) ||
                        Wants(Output::kJacobianDrift) || job.task ||
                        Wants(Output::kForwardFrameAcceleration) ||
                        links_.wants_jacobian()),
        wants_frame_(wants_jacobian_ || Wants(Output::kPose) ||
                     links_.wants_pose()) {
    const auto n = static_cast<unsigned long>(n_);
    P** const of_joints[] = {&s_, &c_, &zeros_, &result_, &h_, &acceleration_};
    for (P** array : of_joints) arena_.Take(*array, n);
    arena_.Take(J_, 6 * n);
    const auto slots = static_cast<unsigned long>(compiled_.slots);
    arena_.Take(low_.F, n);
    arena_.Take(low_.motion, slots);
    arena_.Take(low_.sum, slots);
    const auto places =
        1 + static_cast<unsigned long>(setup_.wrench_place_count);
    arena_.Take(placed_.list, places);
    arena_.Take(acting_, places);
    if (setup_.wrench_place_count > 0) arena_.Take(J_of_wrench_, 6 * n);
    if (!by_factorization_ && wants_acceleration_) {
      arena_.Take(low_.pivot, n);
      arena_.Take(low_.u, n);
      arena_.Take(low_.articulated, slots);
      arena_.Take(low_.acceleration, slots);
    }
  }

  /// Working memory that the job takes.
  unsigned long bytes() const { return arena_.used(); }

  /// Stands at an address that the caller has.
  static TORQUED_INLINE void* operator new(unsigned long /*size*/, void* at) {
    return at;
  }

  /// Work that is the same for all blocks.
  void Prepare() {
    in_.Prepare();
    SetConstantAngles(compiled_, s_, c_);
    certificate_.Prepare();
    Clear(zeros_, n_);
    terms_ = {Vec3<P>::Constant(setup_.gravity),
              in_.base_moves() ? &base_ : nullptr,
              setup_.viscous_friction,
              setup_.coulomb_friction,
              setup_.coulomb_smoothing,
              nullptr,
              0};
    PlaceWrenches();
    under_wrenches_ = terms_;
    under_wrenches_.wrenches = acting_;
    under_wrenches_.wrench_count = placed_.count;
    if (Wants(Output::kMassMatrix)) ClearOffBranches();
    if (wants_frame_) Clear(J_, 6 * n_);
    motion_ = LinkMotion<P>::Zero();  // of a tip on the base
    tip_ = {setup_.tip.path, setup_.tip.path_length, &setup_.tip.frame,
            setup_.tip.reference};
    task_.Prepare(J_);
    links_.Prepare();
    derivatives_.Prepare();
    constexpr QuantityBits kOfPath =
        Bit(Quantity::kFramePose) | Bit(Quantity::kJacobian) |
        Bit(Quantity::kJacobianDrift) | Bit(Quantity::kFrameVelocity) |
        Bit(Quantity::kFrameAcceleration) | Bit(Quantity::kJacobianRate);
    const bool path_alone =
        (wanted_ & ~kOfPath) == 0 && !job_.task && placed_.count == 0;
    joints_ = path_alone ? setup_.tip.path : nullptr;
    joint_count_ = path_alone ? setup_.tip.path_length : n_;
  }

  /// After Prepare.
  long long Run(long long begin, long long end, FallbackRow* fallback) {
    long long listed = 0;
    for (long long row = begin; row < end; row += kLanes) {
      const long long left = end - row;
      row_ = row;
      count_ = left < kLanes ? static_cast<int>(left) : kLanes;
      fallback_mask_.Clear();
      fallback_mask_.Add(kAllQuantities, in_.Load(row_, count_));
      certificate_.Load(in_[Input::kQ]);
      Compute();
      if (fallback_mask_.any()) [[unlikely]] {
        listed += fallback_mask_.List(row_, count_, fallback + listed);
      }
    }
    out_.Finish();
    return listed;
  }

 private:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  static const CompiledTree<N>& Compiled(const BlockSetup& setup) {
    if constexpr (sizeof(N) == 8) {
      return setup.compiled_f64;
    } else {
      return setup.compiled_f32;
    }
  }

  bool Wants(Quantity quantity) const { return (wanted_ & Bit(quantity)) != 0; }
  bool Wants(Output output) const { return (job_.wanted & Bit(output)) != 0; }

  /// The places of wrenches that act on a moving body.
  void PlaceWrenches() {
    const auto place = [this](const FramePath& at, ReferenceFrame reference,
                              const P* wrench, bool on_environment) {
      if (at.path_length == 0) return;
      acting_[placed_.count].body = at.path[at.path_length - 1];
      placed_.list[placed_.count++] = {
          {at.path, at.path_length, &at.frame, reference},
          wrench,
          on_environment};
    };
    if (in_.Has(Input::kTipWrench)) {
      place(setup_.tip, setup_.wrench_reference, in_[Input::kTipWrench], true);
    }
    if (!in_.Has(Input::kExternalWrenches)) return;
    for (int k = 0; k < setup_.wrench_place_count; ++k) {
      const FramePath& at = setup_.wrench_places[k];
      place(at, at.reference, in_[Input::kExternalWrenches] + 6 * k, false);
    }
  }

  /// Clears entries of M between branches, which no block writes.
  void ClearOffBranches() {
    if (!compiled_.chain) Clear(mass_.M(), PackedSize(n_));
  }

  static void Clear(P* packs, int count) {
    for (int k = 0; k < count; ++k) packs[k] = P(N(0));
  }

  Configuration<P> State(const P* accelerations) const {
    return {s_, c_, in_[Input::kQ], in_[Input::kV], accelerations};
  }

  void Compute() {
    const P* const a = in_[Input::kA];
    if (terms_.base != nullptr) {
      base_ = {in_.TwistOf(Input::kBaseTwist),
               in_.TwistOf(Input::kBaseAcceleration)};
    }
    if (in_.Has(Input::kGravity)) {
      const P* const g = in_[Input::kGravity];
      terms_.gravity = under_wrenches_.gravity = {g[0], g[1], g[2]};
    }
    SinCosOfAngles(compiled_, joints_, joint_count_, in_[Input::kQ], s_, c_);
    // The factorization comes early: its chain of divisions overlaps with what
    // follows.
    if (Wants(Output::kMassMatrix) || factorizes_) ComputeMass();
    if (wants_frame_ || (in_.Has(Input::kTipWrench) &&
                         setup_.wrench_reference != ReferenceFrame::kLocal)) {
      ComputeFrame();
    }
    // Its divisions wait for each other as well, while the bias forces are
    // computed.
    TaskResult<P> task;
    if (job_.task) {
      fallback_mask_.Add(kTaskQuantities,
                         task_.ComputeInertia(in_[Input::kQ], task, Storing()));
    }
    for (int k = 0; k < placed_.count; ++k) acting_[k].W = WrenchOnBody(k);
    if (Wants(Output::kTau)) {
      InverseDynamics(under_wrenches_, State(a), result_);
      Store(Output::kTau, result_, n_);
    }
    const bool solves = Wants(Quantity::kForwardDynamicsDerivatives);
    if (wants_acceleration_ || solves) ComputeAcceleratingForces();
    if (derivatives_.wanted()) {
      if (solves) ComputeAcceleration(true);
      derivatives_.Compute(under_wrenches_, State(a), acceleration_, placed_,
                           Storing());
    }
    if (wants_acceleration_) {
      if (!solves || !by_factorization_) ComputeAcceleration(by_factorization_);
      Store(Output::kAcceleration, acceleration_, n_);
    }
    if (Wants(Output::kGravity)) {
      Configuration<P> at_rest = State(zeros_);
      at_rest.v = zeros_;
      StoreForces(nullptr, terms_.gravity, at_rest, Output::kGravity);
    }
    if (Wants(Output::kCoriolis)) {
      StoreForces(terms_.base, Vec3<P>::Zero(), State(zeros_),
                  Output::kCoriolis);
    }
    if (Wants(Output::kBias) || job_.task) {
      Rnea(compiled_, terms_, State(zeros_), low_, h_, tip_.Body(), &motion_);
      Store(Output::kBias, h_, n_);
    }
    P drift[6];
    if (job_.task) {
      ComputeDrift(terms_.gravity, drift);
      task_.ComputeBias(task, h_, drift, Storing());
      if (Wants(Output::kTaskTorque)) {
        InverseDynamics(under_wrenches_, State(zeros_), h_);
        task_.ComputeTorque(task, h_, drift, in_[Input::kTaskAcceleration],
                            in_[Input::kNullSpaceTorque], Storing());
      }
    }
    if (Wants(Output::kJacobianDrift) ||
        Wants(Output::kForwardFrameAcceleration)) {
      FrameMotion(compiled_, tip_, State(zeros_), terms_.base, &motion_);
      ComputeDrift(Vec3<P>::Zero(), drift);
      Store(Output::kJacobianDrift, drift, 6);
      if (Wants(Output::kForwardFrameAcceleration)) {
        StoreForwardFrameAcceleration(drift);
      }
    }
    if (links_.wanted()) {
      const Configuration<P> state = State(a);
      links_.Compute(
          {terms_, under_wrenches_, placed_, state, tip_, pose_, J_, low_},
          Storing());
    }
  }

  void InverseDynamics(const DynamicsTerms<P>& terms,
                       const Configuration<P>& state, P* tau) {
    Rnea(compiled_, terms, state, low_, tau, kBase, &motion_);
  }

  /// From the motion of the tip's body at q̈ = 0, less gravity.
  TORQUED_INLINE void ComputeDrift(const Vec3<P>& gravity, P* drift) const {
    JacobianDrift(compiled_, tip_, in_[Input::kV], terms_.base, gravity,
                  motion_, pose_, static_cast<const P*>(J_), drift);
  }

  /// Bias forces without friction.
  void StoreForces(const BaseMotion<P>* base, const Vec3<P>& gravity,
                   const Configuration<P>& state, Output output) {
    DynamicsTerms<P> terms = terms_;
    terms.base = base;
    terms.gravity = gravity;
    terms.viscous_friction = terms.coulomb_friction = false;
    InverseDynamics(terms, state, result_);
    Store(output, result_, n_);
  }

  __attribute__((noinline)) void ComputeMass() {
    // Unrolled factorization may leave numbers here that are not finite.
    if (factorizes_ && n_ <= MassFactors<N>::kMostUnrolled) ClearOffBranches();
    Crba(compiled_, State(zeros_), low_, mass_.M());
    Store(Output::kMassMatrix, mass_.M(), PackedSize(n_));
    if (!factorizes_) return;
    fallback_mask_.Add(by_factorization_ ? kSolvesMassMatrix
                                         : kSolvesMassMatrix & ~kOfAcceleration,
                       mass_.Factor(certificate_));
  }

  __attribute__((noinline)) void ComputeFrame() {
    FramePose(compiled_, tip_, State(zeros_), J_, &pose_);
    if (Wants(Output::kPose)) {
      const PoseRows<P>& X = pose_.tip;
      const P pose[12] = {X.r0.x, X.r0.y, X.r0.z, X.p.x,  X.r1.x, X.r1.y,
                          X.r1.z, X.p.y,  X.r2.x, X.r2.y, X.r2.z, X.p.z};
      Store(Output::kPose, pose, 12);
    }
    if (!wants_jacobian_) return;
    FrameJacobian(compiled_, tip_, pose_, J_);
    Store(Output::kJacobian, J_, 6 * n_);
  }

  /// Wrench k as it acts on the robot, in {k'}: what the tip exerts on the
  /// environment with its sign turned.
  Wrench<P> WrenchOnBody(int k) {
    const PlacedWrench<N>& placed = placed_.list[k];
    const TipFrame& place = placed.place;
    Wrench<P> F = placed.AsWrench();
    if (place.reference == ReferenceFrame::kLocal) {
      TurnByMatrix(place.frame->R, F.m);
      TurnByMatrix(place.frame->R, F.f);
    } else {
      TipPose<P> found;
      if (!placed.on_environment) {
        FramePose(compiled_, place, State(zeros_), J_of_wrench_, &found);
      }
      const PoseRows<P>& X = (placed.on_environment ? pose_ : found).last;
      if (place.reference == ReferenceFrame::kWorld) F.m -= Cross(X.p, F.f);
      F = {X.RotateBack(F.m), X.RotateBack(F.f)};
    }
    if (place.reference != ReferenceFrame::kWorld) {
      F.m += Cross(Vec3<P>::Constant(place.frame->p), F.f);
    }
    if (!placed.on_environment) return F;
    return {-F.m, -F.f};
  }

  /// tau − h, h under all wrenches.
  void ComputeAcceleratingForces() {
    InverseDynamics(under_wrenches_, State(zeros_), result_);
    const P* const tau = in_[Input::kTau];
    for (int i = 0; i < n_; ++i) result_[i] = tau[i] - result_[i];
  }

  /// M⁻¹ times these forces.
  void ComputeAcceleration(bool by_factors) {
    for (int i = 0; i < n_; ++i) acceleration_[i] = result_[i];
    if (by_factors) return mass_.Solve(acceleration_);
    Aba(compiled_, State(zeros_), low_, acceleration_);
    fallback_mask_.Add(kOfAcceleration, certificate_.Uncertain(low_.pivot));
  }

  /// The tip's V̇ = J q̈ + J̇ q̇ with the q̈ of forward dynamics.
  void StoreForwardFrameAcceleration(const P* drift) {
    P acceleration[6];
    for (int k = 0; k < 6; ++k) {
      acceleration[k] = drift[k];
      for (int j = 0; j < n_; ++j) {
        acceleration[k] = acceleration[k] + J_[k * n_ + j] * acceleration_[j];
      }
    }
    Store(Output::kForwardFrameAcceleration, acceleration, 6);
  }

  /// Only if it is wanted.
  void Store(Output output, const P* packs, int distinct) {
    fallback_mask_.Add(Bit(QuantityOf(output)),
                       out_.Store(output, row_, count_, packs, distinct));
  }

  auto Storing() {
    return [this](Output output, const P* packs, int distinct)
               TORQUED_INLINE_BODY { Store(output, packs, distinct); };
  }

  const BlockJob& job_;
  const BlockSetup& setup_;
  const CompiledTree<N>& compiled_;
  const int n_;
  const QuantityBits wanted_;
  const bool wants_acceleration_;  // of forward dynamics
  /// Forward dynamics comes by factorization of M up to some degrees of
  /// freedom, by articulated bodies beyond; its derivatives always take the
  /// factors, lest their bits depend on whether it is asked for.
  const bool by_factorization_;
  const bool factorizes_;
  Arena arena_;
  BlockInputs<N> in_;
  BlockOutputs<N> out_;
  MassFactors<N> mass_;
  MassCertificate<N> certificate_;
  BlockTask<N> task_;
  BlockDerivatives<N> derivatives_;
  BlockLinks<N> links_;
  const bool wants_jacobian_, wants_frame_;
  P *s_, *c_, *zeros_, *result_, *h_, *J_;
  P* acceleration_;  // of forward dynamics
  RecursionScratch<P> low_{};

  BaseMotion<P> base_;
  DynamicsTerms<P> terms_, under_wrenches_;
  PlacedWrenches<N> placed_{};
  BodyWrench<P>* acting_;  // those wrenches, in their bodies
  P* J_of_wrench_ = nullptr;
  TipFrame tip_{};
  /// That results depend on; null: all.
  const int* joints_ = nullptr;
  int joint_count_ = 0;

  long long row_ = 0;  // of the current block
  int count_ = 0;
  FallbackMask<kLanes> fallback_mask_;
  LinkMotion<P> motion_;
  TipPose<P> pose_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
