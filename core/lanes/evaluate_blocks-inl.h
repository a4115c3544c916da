// A job's rows, one block of lanes at a time: from the caller's tables to
// packs, through the algorithms, and back.
#pragma once

#include "core/lanes/block_angles-inl.h"
#include "core/lanes/block_derivatives-inl.h"
#include "core/lanes/block_inputs-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/block_links-inl.h"
#include "core/lanes/block_outputs-inl.h"
#include "core/lanes/block_task-inl.h"
#include "core/lanes/mass_certificate-inl.h"
#include "core/lanes/mass_factors-inl.h"
#include "core/lanes/row_doubts.h"
#include "core/lanes/tanh.h"
#include "core/lowered/aba-inl.h"
#include "core/lowered/crba-inl.h"
#include "core/lowered/kinematics-inl.h"
#include "core/lowered/rnea-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
class BlockEvaluation {
 public:
  /// `memory` may be null to learn how much it takes.
  BlockEvaluation(const BlockJob& job, void* memory)
      : job_(job),
        setup_(*job.setup),
        tree_(setup_.tree),
        lowered_(Lowered(setup_)),
        n_(tree_.n),
        wanted_(job.Quantities()),
        carver_(memory),
        in_(job, carver_),
        out_(job, carver_),
        mass_(lowered_, {setup_.tip.path, setup_.tip.path_length}, carver_),
        certificate_(setup_, solves(), carver_),
        task_(job, wanted_, mass_, carver_),
        derivatives_(tree_, lowered_, wanted_, mass_, carver_),
        links_(tree_, lowered_, wanted_, carver_) {
    const auto n = static_cast<unsigned long>(n_);
    carver_.Take(s_, n);
    carver_.Take(c_, n);
    carver_.Take(zeros_, n);
    carver_.Take(result_, n);
    carver_.Take(h_, n);
    carver_.Take(J_, 6 * n);
    const auto slots = static_cast<unsigned long>(lowered_.slots);
    carver_.Take(low_.F, n);
    carver_.Take(low_.motion, slots);
    carver_.Take(low_.sum, slots);
    if (keeps_acceleration()) carver_.Take(acceleration_, n);
    const auto places =
        1 + static_cast<unsigned long>(setup_.wrench_place_count);
    carver_.Take(placed_.list, places);
    carver_.Take(acting_, places);
    if (setup_.wrench_place_count > 0) carver_.Take(J_of_wrench_, 6 * n);
    if (!by_factorization() && wants_acceleration()) {
      carver_.Take(low_.pivot, n);
      carver_.Take(low_.u, n);
      carver_.Take(low_.articulated, slots);
      carver_.Take(low_.acceleration, slots);
    }
  }

  /// Working memory that the job takes.
  unsigned long bytes() const { return carver_.used(); }

  /// Stands at an address that the caller has.
  static TORQUED_INLINE void* operator new(unsigned long /*size*/, void* at) {
    return at;
  }

  /// What stays the same from block to block.
  void Prepare() {
    in_.Prepare();
    for (int i = 0; i < n_; ++i) {
      if (lowered_.bodies[i].motion != JointMotion::kPrismatic) continue;
      s_[i] = P(lowered_.bodies[i].sin_q0);
      c_[i] = P(lowered_.bodies[i].cos_q0);
    }
    certificate_.Prepare();
    Clear(zeros_, n_);
    terms_.gravity = {P(N(setup_.gravity[0])), P(N(setup_.gravity[1])),
                      P(N(setup_.gravity[2]))};
    terms_.viscous_friction = setup_.viscous_friction;
    terms_.coulomb_friction = setup_.coulomb_friction;
    terms_.coulomb_smoothing = setup_.coulomb_smoothing;
    terms_.base = in_.base_moves() ? &base_ : nullptr;
    terms_.wrench_count = 0;
    PlaceWrenches();
    under_wrenches_ = terms_;
    under_wrenches_.wrenches = acting_;
    under_wrenches_.wrench_count = placed_.count;
    if (wants_mass()) ClearOffBranches();
    if (wants_frame() || has_wrench()) PrepareTip();
  }

  /// After Prepare.
  long long Run(long long begin, long long end, DoubtfulRow* doubtful) {
    long long listed = 0;
    for (long long row = begin; row < end; row += kLanes) {
      const long long left = end - row;
      row_ = row;
      count_ = left < kLanes ? static_cast<int>(left) : kLanes;
      doubts_.Clear();
      doubts_.Add(kAllQuantities, in_.Load(row_, count_));
      certificate_.Load(in_.q);
      LoadSurroundings();
      ComputeLowered();
      if (doubts_.any()) [[unlikely]] {
        listed += doubts_.List(row_, count_, doubtful + listed);
      }
    }
    out_.Finish();
    return listed;
  }

 private:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  static const LoweredTreeOf<N>& Lowered(const BlockSetup& setup) {
    if constexpr (sizeof(N) == 8) {
      return setup.lowered_f64;
    } else {
      return setup.lowered_f32;
    }
  }

  bool wants_tau() const { return Wants(Output::kTau); }
  bool wants_mass() const { return Wants(Output::kMassMatrix); }
  bool wants_acceleration() const {
    return Wants(Output::kAcceleration) || keeps_acceleration();
  }
  bool solves() const {
    return wants_factors() || wants_acceleration() ||
           (wanted_ & kTakesInverse) != 0;
  }
  bool wants_bias() const { return Wants(Output::kBias); }
  bool wants_pose() const { return Wants(Output::kPose); }
  bool wants_jacobian() const { return Wants(Output::kJacobian); }
  bool wants_drift() const { return Wants(Output::kJacobianDrift); }
  bool wants_forward_derivatives() const {
    return (wanted_ & Bit(Quantity::kForwardDynamicsDerivatives)) != 0;
  }
  bool wants_forward_frame() const {
    return Wants(Output::kForwardFrameAcceleration);
  }
  bool keeps_acceleration() const {
    return wants_forward_derivatives() || wants_forward_frame();
  }
  bool wants_task_torque() const { return Wants(Output::kTaskTorque); }
  bool wants_frame() const {
    return wants_pose() || wants_jacobian() || wants_drift() ||
           task_.wanted() || wants_forward_frame() || links_.wants_pose();
  }
  bool has_wrench() const {
    return in_.Has(Input::kTipWrench) && setup_.tip.path_length > 0;
  }
  /// Forward dynamics comes by factorization of M up to so many degrees of
  /// freedom, by articulated bodies beyond.
  bool by_factorization() const { return n_ <= 12; }

  /// Where wrenches act that move something.
  void PlaceWrenches() {
    placed_.count = 0;
    if (has_wrench()) {
      LanePlace tip = setup_.tip;
      tip.reference = setup_.wrench_reference;
      placed_.list[placed_.count++] = {TipAt(tip), in_.wrench, true};
    }
    for (int k = 0; k < setup_.wrench_place_count; ++k) {
      const LanePlace& place = setup_.wrench_places[k];
      if (!in_.Has(Input::kExternalWrenches) || place.path_length == 0)
        continue;
      placed_.list[placed_.count++] = {TipAt(place),
                                       in_.external_wrenches + 6 * k, false};
    }
    for (int k = 0; k < placed_.count; ++k) {
      acting_[k].body = placed_.list[k].place.Body();
    }
  }

  static LoweredTip<N> TipAt(const LanePlace& place) {
    LoweredTip<N> tip;
    tip.path = place.path;
    tip.length = place.path_length;
    tip.reference = place.reference;
    for (int k = 0; k < 9; ++k) tip.R[k] = N(place.frame.R[k]);
    for (int k = 0; k < 3; ++k) tip.p[k] = N(place.frame.p[k]);
    return tip;
  }

  /// Entries of M between branches, which nobody writes.
  void ClearOffBranches() {
    if (!lowered_.chain) Clear(mass_.M(), PackedSize(n_));
  }

  void PrepareTip() {
    motion_ = LinkMotion<P>::Zero();  // of a tip on the base
    if (wants_frame()) Clear(J_, 6 * n_);
    tip_ = TipAt(setup_.tip);
    task_.Prepare(J_);
  }

  static void Clear(P* packs, int count) {
    for (int k = 0; k < count; ++k) packs[k] = P(N(0));
  }

  LoweredState<P> State(const P* accelerations) const {
    return {s_, c_, in_.q, in_.v, accelerations};
  }

  /// What the states bring of the motion of the base and of gravity.
  void LoadSurroundings() {
    if (in_.base_moves()) base_ = in_.MotionOfBase();
    if (!in_.Has(Input::kGravity)) return;
    terms_.gravity = in_.Gravity();
    under_wrenches_.gravity = terms_.gravity;
  }

  void ComputeLowered() {
    SinCosOfAngles(lowered_, n_, in_.q, s_, c_);
    // The factorization comes early: its chain of divisions leaves room for
    // what follows.
    if (wants_mass() || wants_factors()) LoweredMass();
    if (wants_frame() ||
        (has_wrench() && setup_.wrench_reference != ReferenceFrame::kLocal)) {
      LoweredFrame();
    }
    // Its divisions wait for each other as well, beside the bias forces.
    TaskResult<P> task;
    if (task_.wanted()) TaskInertia(task);
    for (int k = 0; k < placed_.count; ++k) acting_[k].W = WrenchOnBody(k);
    if (wants_tau()) {
      LoweredInverseDynamics(lowered_, under_wrenches_, State(in_.a), low_,
                             result_, kBase, &motion_);
      Store(Output::kTau, result_, n_);
    }
    if (wants_acceleration()) {
      LoweredInverseDynamics(lowered_, under_wrenches_, State(zeros_), low_,
                             result_, kBase, &motion_);
      SolveAcceleration();
    }
    if (derivatives_.wanted()) {
      derivatives_.Compute(under_wrenches_, State(in_.a), acceleration_,
                           placed_, Storing());
    }
    if (Wants(Output::kGravity)) {
      LoweredState<P> at_rest = State(zeros_);
      at_rest.v = zeros_;
      LoweredForces(nullptr, terms_.gravity, at_rest, Output::kGravity);
    }
    if (Wants(Output::kCoriolis)) {
      LoweredForces(terms_.base, Vec3<P>::Zero(), State(zeros_),
                    Output::kCoriolis);
    }
    if (wants_bias() || task_.wanted()) {
      LoweredInverseDynamics(lowered_, terms_, State(zeros_), low_, h_,
                             tip_.Body(), &motion_);
      if (wants_bias()) Store(Output::kBias, h_, n_);
    }
    P drift[6];
    if (task_.wanted()) {
      Drift(terms_.gravity, drift);
      task_.ComputeBias(task, h_, drift, Storing());
      if (wants_task_torque()) {
        LoweredInverseDynamics(lowered_, under_wrenches_, State(zeros_), low_,
                               h_, kBase, &motion_);
        TaskTorque(task, drift);
      }
    }
    if (wants_drift() || wants_forward_frame()) {
      LoweredTipMotion(lowered_, tip_, State(zeros_), terms_.base, &motion_);
      Drift(Vec3<P>::Zero(), drift);
      Store(Output::kJacobianDrift, drift, 6);
      if (wants_forward_frame()) StoreForwardFrameAcceleration(drift);
    }
    if (links_.wanted()) {
      const LoweredState<P> state = State(in_.a);
      links_.Compute(
          {terms_, under_wrenches_, placed_, state, tip_, pose_, J_, low_},
          Storing());
    }
  }

  /// From the motion of the tip's body at q̈ = 0, less gravity.
  TORQUED_INLINE void Drift(const Vec3<P>& gravity, P* drift) const {
    LoweredDrift(lowered_, tip_, static_cast<const P*>(in_.v), terms_.base,
                 gravity, motion_, pose_, static_cast<const P*>(J_), drift);
  }

  /// Bias forces without friction.
  void LoweredForces(const BaseMotion<P>* base, const Vec3<P>& gravity,
                     const LoweredState<P>& state, Output output) {
    LoweredTerms<P> terms = terms_;
    terms.base = base;
    terms.gravity = gravity;
    terms.viscous_friction = terms.coulomb_friction = false;
    LoweredInverseDynamics(lowered_, terms, state, low_, result_, kBase,
                           &motion_);
    Store(output, result_, n_);
  }

  bool wants_factors() const {
    return job_.task || (wanted_ & kTakesInverse) != 0 ||
           (by_factorization() && wants_acceleration());
  }

  __attribute__((noinline)) void LoweredMass() {
    // What unrolled factorization leaves behind of numbers that are not finite.
    if (wants_factors()) ClearOffBranches();
    LoweredMassMatrix(lowered_, State(zeros_), low_, mass_.M());
    if (wants_mass()) {
      Store(Output::kMassMatrix, mass_.M(), PackedSize(n_));
    }
    if (wants_factors()) Factor();
  }

  __attribute__((noinline)) void LoweredFrame() {
    LoweredTipPose(lowered_, tip_, State(zeros_), J_, &pose_);
    if (wants_pose()) StorePose();
    if (!wants_jacobian() && !wants_drift() && !task_.wanted() &&
        !wants_forward_frame() && !links_.wants_jacobian()) {
      return;
    }
    LoweredJacobian(lowered_, tip_, pose_, J_);
    if (wants_jacobian()) {
      Store(Output::kJacobian, J_, 6 * n_);
    }
  }

  void StorePose() {
    const PoseRows<P>& X = pose_.tip;
    const P pose[12] = {X.r0.x, X.r0.y, X.r0.z, X.p.x,  X.r1.x, X.r1.y,
                        X.r1.z, X.p.y,  X.r2.x, X.r2.y, X.r2.z, X.p.z};
    Store(Output::kPose, pose, 12);
  }

  /// Wrench k as it acts on the robot, in {k'}: what the tip exerts on the
  /// environment with its sign turned.
  Wrench<P> WrenchOnBody(int k) {
    const PlacedWrench<N>& placed = placed_.list[k];
    const LoweredTip<N>& place = placed.place;
    const P* const w = placed.numbers;
    Wrench<P> F = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    const Vec3<P> p = {P(place.p[0]), P(place.p[1]), P(place.p[2])};
    TipPose<P> pose;
    if (place.reference != ReferenceFrame::kLocal) {
      if (placed.on_environment) {
        pose = pose_;
      } else {
        LoweredTipPose(lowered_, place, State(zeros_), J_of_wrench_, &pose);
      }
    }
    switch (place.reference) {
      case ReferenceFrame::kLocal:
        TurnByMatrix(place.R, F.m);
        TurnByMatrix(place.R, F.f);
        F.m += Cross(p, F.f);
        break;
      case ReferenceFrame::kLocalWorldAligned:
        F = {pose.last.RotateBack(F.m), pose.last.RotateBack(F.f)};
        F.m += Cross(p, F.f);
        break;
      case ReferenceFrame::kWorld:
        F = {pose.last.RotateBack(F.m - Cross(pose.last.p, F.f)),
             pose.last.RotateBack(F.f)};
        break;
    }
    if (!placed.on_environment) return F;
    return {-F.m, -F.f};
  }

  void Factor() {
    doubts_.Add(kSolvesMassMatrix, mass_.Factor(certificate_.root_scales()));
  }

  /// M⁻¹ (tau − h) from the bias forces in `result_`.
  void SolveAcceleration() {
    for (int i = 0; i < n_; ++i) result_[i] = in_.tau[i] - result_[i];
    if (by_factorization()) {
      mass_.Solve(result_);
    } else {
      LoweredSolve(lowered_, State(zeros_), low_, result_);
      doubts_.Add(kSolvesMassMatrix, certificate_.Uncertain(low_.pivot));
    }
    StoreAcceleration();
  }

  void StoreAcceleration() {
    Store(Output::kAcceleration, result_, n_);
    if (!keeps_acceleration()) return;
    for (int i = 0; i < n_; ++i) acceleration_[i] = result_[i];
  }

  void TaskInertia(TaskResult<P>& task) {
    doubts_.Add(kTaskQuantities, task_.ComputeInertia(in_.q, task, Storing()));
  }

  void TaskTorque(const TaskResult<P>& task, const P* drift) {
    task_.ComputeTorque(task, h_, drift, in_.task_acceleration,
                        in_.null_space_torque, Storing());
  }

  bool Wants(Output output) const { return out_.Wants(output); }

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

  void Store(Output output, const P* packs, int distinct) {
    doubts_.Add(Bit(QuantityOf(output)),
                out_.Store(output, row_, count_, packs, distinct));
  }

  auto Storing() {
    return [this](Output output, const P* packs, int distinct)
               TORQUED_INLINE_BODY { Store(output, packs, distinct); };
  }

  const BlockJob& job_;
  const BlockSetup& setup_;
  const Tree tree_;
  const LoweredTreeOf<N>& lowered_;
  const int n_;
  const QuantityBits wanted_;
  Carver carver_;
  BlockInputs<N> in_;
  BlockOutputs<N> out_;
  MassFactors<N> mass_;
  MassCertificate<N> certificate_;
  BlockTask<N> task_;
  BlockDerivatives<N> derivatives_;
  BlockLinks<N> links_;
  P *s_, *c_, *zeros_, *result_, *h_, *J_;
  P* acceleration_ = nullptr;  // of forward dynamics, for what follows from it
  LoweredScratch<P> low_{};

  BaseMotion<P> base_;
  LoweredTerms<P> terms_, under_wrenches_;
  PlacedWrenches<N> placed_{};
  BodyWrench<P>* acting_;  // those wrenches, in their bodies
  P* J_of_wrench_ = nullptr;
  LoweredTip<N> tip_{};

  long long row_ = 0;  // of the block under way
  int count_ = 0;
  RowDoubts<kLanes> doubts_;
  LinkMotion<P> motion_;
  TipPose<P> pose_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
