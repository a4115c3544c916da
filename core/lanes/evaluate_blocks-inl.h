// A job's rows, one block of lanes at a time: from the caller's tables to
// packs, through the algorithms, and back.
#pragma once

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/applied_wrenches-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/quantities-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/lanes/block_angles-inl.h"
#include "core/lanes/block_derivatives-inl.h"
#include "core/lanes/block_inputs-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/block_outputs-inl.h"
#include "core/lanes/block_task-inl.h"
#include "core/lanes/mass_factors-inl.h"
#include "core/lanes/pivot_bounds-inl.h"
#include "core/lanes/pivot_test-inl.h"
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
        further_(wanted_ & kGeneralQuantities &
                 ~(job_.lowered ? kAlsoLowered : 0)),
        carver_(memory),
        in_(job, carver_),
        out_(job, carver_),
        mass_(n_, carver_),
        pivots_(setup_, solves(), carver_),
        task_(job, wanted_, mass_, carver_),
        derivatives_(tree_, lowered_, job_.lowered ? wanted_ : 0, carver_) {
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
    if (further_ != 0) {
      CarveQuantityScratch<P>(further_, n, carver_, quantities_);
    }
    if (keeps_acceleration()) carver_.Take(acceleration_, n);
    if (general_texts()) CarveScratch<P>(n, carver_, general_);
    if (checks_articulated_pivots() && (wants_acceleration() || job_.task)) {
      carver_.Take(low_.pivot, n);
      carver_.Take(low_.u, n);
      carver_.Take(low_.articulated, slots);
      carver_.Take(low_.acceleration, slots);
    }
  }

  /// Working memory that the job takes.
  unsigned long bytes() const { return carver_.used(); }

  long long Run(long long begin, long long end, DoubtfulRow* doubtful) {
    Prepare();
    long long listed = 0;
    for (long long row = begin; row < end; row += kLanes) {
      const long long left = end - row;
      row_ = row;
      count_ = left < kLanes ? static_cast<int>(left) : kLanes;
      doubts_.Clear();
      doubts_.Add(kAllQuantities, in_.Load(row_, count_));
      pivots_.Load(in_.q);
      if (job_.lowered) {
        ComputeLowered();
      } else {
        ComputeGeneral();
      }
      if (further_ != 0) ComputeFurther();
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
  static constexpr QuantityBits kOfForwardDynamics =
      Bit(Quantity::kForwardDynamics) |
      Bit(Quantity::kForwardDynamicsDerivatives) |
      Bit(Quantity::kForwardFrameAcceleration);
  /// Of the quantities that QuantityTexts know those with lowered texts.
  static constexpr QuantityBits kAlsoLowered = kDerivatives |
                                               Bit(Quantity::kGravityForces) |
                                               Bit(Quantity::kCoriolisForces);

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
           (wanted_ & kGeneralSolutions) != 0;
  }
  bool wants_bias() const { return Wants(Output::kBias); }
  bool wants_pose() const { return Wants(Output::kPose); }
  bool wants_jacobian() const { return Wants(Output::kJacobian); }
  bool wants_drift() const { return Wants(Output::kJacobianDrift); }
  bool general_texts() const { return !job_.lowered || further_ != 0; }
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
           task_.wanted() || wants_forward_frame();
  }
  bool has_wrench() const {
    return in_.Has(Input::kTipWrench) && setup_.path_length > 0;
  }
  bool has_wrenches() const {
    return has_wrench() || in_.Has(Input::kExternalWrenches);
  }
  AppliedWrenches<P> Wrenches() const {
    AppliedWrenches<P> wrenches;
    if (has_wrench()) wrenches.on_environment = {&tip_wrench_, 1, in_.wrench};
    if (in_.Has(Input::kExternalWrenches)) {
      wrenches.on_robot = {setup_.wrench_places, setup_.wrench_place_count,
                           in_.external_wrenches};
    }
    return wrenches;
  }
  bool by_factorization() const { return n_ <= kMaxFactorizedDof; }

  /// What stays the same from block to block.
  void Prepare() {
    in_.Prepare();
    for (int i = 0; i < n_; ++i) {
      if (lowered_.bodies[i].motion != JointMotion::kPrismatic) continue;
      s_[i] = P(lowered_.bodies[i].sin_q0);
      c_[i] = P(lowered_.bodies[i].cos_q0);
    }
    pivots_.Prepare();
    Clear(zeros_, n_);
    terms_.gravity = {P(N(setup_.gravity[0])), P(N(setup_.gravity[1])),
                      P(N(setup_.gravity[2]))};
    terms_.viscous_friction = setup_.viscous_friction;
    terms_.coulomb_friction = setup_.coulomb_friction;
    terms_.coulomb_smoothing = setup_.coulomb_smoothing;
    terms_.wrench_body = kBase;
    terms_.wrench = Wrench<P>::Zero();
    tip_wrench_ = {setup_.tip, setup_.wrench_reference};
    if (has_wrench()) {
      with_wrench_ = terms_;
      with_wrench_.wrench_body = setup_.path[setup_.path_length - 1];
    }
    if (wants_mass()) ClearOffBranches();
    if (wants_frame() || has_wrench()) PrepareTip();
    derivatives_.Prepare(has_wrench() ? &tip_ : nullptr,
                         setup_.wrench_reference);
  }

  /// Entries of M between branches, which nobody writes.
  void ClearOffBranches() {
    if (!lowered_.chain) Clear(mass_.M(), PackedSize(n_));
  }

  void PrepareTip() {
    motion_ = LinkMotion<P>::Zero();  // of a tip on the base
    if (wants_frame()) Clear(J_, 6 * n_);
    tip_.path = setup_.path;
    tip_.length = setup_.path_length;
    tip_.reference = setup_.reference;
    for (int k = 0; k < 9; ++k) tip_.R[k] = N(setup_.lowered_tip.R[k]);
    for (int k = 0; k < 3; ++k) tip_.p[k] = N(setup_.lowered_tip.p[k]);
    task_.Prepare(J_);
  }

  static void Clear(P* packs, int count) {
    for (int k = 0; k < count; ++k) packs[k] = P(N(0));
  }

  LoweredState<P> State(const P* accelerations) const {
    return {s_, c_, in_.q, in_.v, accelerations};
  }

  void ComputeLowered() {
    SinCosOfAngles(lowered_, n_, in_.q, s_, c_);
    // The factorization comes early: its chain of divisions leaves room for
    // what follows.
    if (wants_mass() || wants_factors() || derivatives_.solves()) {
      LoweredMass();
    }
    if (wants_frame() ||
        (has_wrench() && setup_.wrench_reference != ReferenceFrame::kLocal)) {
      LoweredFrame();
    }
    // Its divisions wait for each other as well, beside the bias forces.
    TaskResult<P> task;
    if (task_.wanted()) TaskInertia(task);
    const LoweredTerms<P>* terms = &terms_;
    if (has_wrench()) {
      with_wrench_.wrench = WrenchOnTip();
      terms = &with_wrench_;
    }
    if (wants_tau()) {
      LoweredInverseDynamics(lowered_, *terms, State(in_.a), low_, result_,
                             kBase, &motion_);
      Store(Output::kTau, result_, n_);
    }
    if (wants_acceleration()) {
      LoweredInverseDynamics(lowered_, *terms, State(zeros_), low_, result_,
                             kBase, &motion_);
      SolveAcceleration();
    }
    if (derivatives_.wanted()) {
      derivatives_.Compute(*terms, State(in_.a), acceleration_, in_.wrench,
                           Storing());
      if (derivatives_.solves()) CheckInverse(derivatives_.inverse());
    }
    if (Wants(Output::kGravity)) {
      LoweredState<P> at_rest = State(zeros_);
      at_rest.v = zeros_;
      LoweredForces(terms_.gravity, at_rest, Output::kGravity);
    }
    if (Wants(Output::kCoriolis)) {
      LoweredForces(Vec3<P>::Zero(), State(zeros_), Output::kCoriolis);
    }
    if (wants_bias() || task_.wanted()) {
      const int watched =
          setup_.path_length > 0 ? setup_.path[setup_.path_length - 1] : kBase;
      LoweredInverseDynamics(lowered_, terms_, State(zeros_), low_, h_, watched,
                             &motion_);
      if (wants_bias()) Store(Output::kBias, h_, n_);
    }
    P drift[6];
    if (task_.wanted()) {
      LoweredDrift(lowered_, tip_, State(zeros_), terms_.gravity, motion_,
                   pose_, J_, drift);
      task_.ComputeBias(task, h_, drift, Storing());
      if (wants_task_torque()) {
        LoweredInverseDynamics(lowered_, *terms, State(zeros_), low_, h_, kBase,
                               &motion_);
        TaskTorque(task, drift);
      }
    }
    if (wants_drift() || wants_forward_frame()) {
      LoweredTipMotion(lowered_, tip_, State(zeros_), &motion_);
      LoweredDrift(lowered_, tip_, State(zeros_), Vec3<P>::Zero(), motion_,
                   pose_, J_, drift);
      Store(Output::kJacobianDrift, drift, 6);
      if (wants_forward_frame()) StoreForwardFrameAcceleration(drift);
    }
  }

  /// Bias forces without friction.
  void LoweredForces(const Vec3<P>& gravity, const LoweredState<P>& state,
                     Output output) {
    LoweredTerms<P> terms = terms_;
    terms.gravity = gravity;
    terms.viscous_friction = terms.coulomb_friction = false;
    LoweredInverseDynamics(lowered_, terms, state, low_, result_, kBase,
                           &motion_);
    Store(output, result_, n_);
  }

  bool wants_factors() const {
    return job_.task ||
           (by_factorization() &&
            (wants_acceleration() || (wanted_ & kGeneralSolutions) != 0));
  }

  __attribute__((noinline)) void LoweredMass() {
    // What the factorization leaves behind.
    if (wants_factors() || derivatives_.solves()) ClearOffBranches();
    LoweredMassMatrix(lowered_, State(zeros_), low_, mass_.M());
    if (wants_mass()) {
      Store(Output::kMassMatrix, mass_.M(), PackedSize(n_));
    }
    if (derivatives_.solves()) derivatives_.SetMassMatrix(mass_.M());
    if (wants_factors()) Factor();
  }

  __attribute__((noinline)) void LoweredFrame() {
    LoweredTipPose(lowered_, tip_, State(zeros_), J_, &pose_);
    if (wants_pose()) StorePose();
    if (!wants_jacobian() && !wants_drift() && !task_.wanted() &&
        !wants_forward_frame()) {
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

  void ComputeGeneral() {
    ComputePlacements(tree_, in_.q, general_);
    if (wants_frame() || has_wrenches() || further_ != 0) {
      ComputeWorldPlacements(tree_, general_);
    }
    LoadGeneralTerms();
    const DynamicsTerms& terms = general_terms_;
    BaseMotion<P> motion;
    const BaseMotion<P>* const base = in_.FindBaseMotion(motion);
    const P *const v = in_.v, *const none = nullptr;
    if (wants_tau()) {
      InverseDynamics(tree_, terms, v, static_cast<const P*>(in_.a), general_,
                      result_, base);
      Store(Output::kTau, result_, n_);
    }
    if (wants_jacobian() || task_.wanted() || wants_forward_frame()) {
      FrameJacobian(tree_, setup_.tip, setup_.reference, general_, J_);
      if (wants_jacobian()) Store(Output::kJacobian, J_, 6 * n_);
    }
    if (wants_bias() || task_.wanted()) {
      InverseDynamics(tree_, GeneralTerms(), v, none, general_, h_, base);
      if (wants_bias()) Store(Output::kBias, h_, n_);
    }
    if (wants_mass() || wants_factors()) {
      MassMatrix(tree_, general_, general_.M);
      for (int i = 0; i < n_; ++i) {
        for (int j = 0; j <= i; ++j) {
          mass_.M()[PackedRow(i) + j] = general_.M[i * n_ + j];
        }
      }
      if (wants_mass()) {
        Store(Output::kMassMatrix, mass_.M(), PackedSize(n_));
      }
    }
    if (wants_factors()) Factor();
    if (wants_acceleration()) {
      if (by_factorization()) {
        InverseDynamics(tree_, terms, v, none, general_, result_, base);
        SolveAcceleration();
      } else {
        ForwardDynamics(tree_, terms, v, static_cast<const P*>(in_.tau),
                        general_, result_, base);
        CheckArticulatedPivots(general_.d);
        StoreAcceleration();
      }
    }
    if (wants_drift() || task_.wanted() || wants_forward_frame()) {
      P drift[6];
      FrameDrift(tree_, setup_.tip, setup_.reference, v, general_, drift, base);
      Store(Output::kJacobianDrift, drift, 6);
      if (wants_forward_frame()) StoreForwardFrameAcceleration(drift);
      if (task_.wanted()) {
        TaskResult<P> task;
        TaskInertia(task);
        task_.ComputeBias(task, h_, drift, Storing());
        if (wants_task_torque()) {
          InverseDynamics(tree_, terms, v, none, general_, h_, base);
          TaskTorque(task, drift);
        }
      }
    }
    if (wants_pose()) {
      const Transform<P> X = FramePlacement(tree_, setup_.tip, general_);
      const P pose[12] = {X.R.c0.x, X.R.c1.x, X.R.c2.x, X.p.x,
                          X.R.c0.y, X.R.c1.y, X.R.c2.y, X.p.y,
                          X.R.c0.z, X.R.c1.z, X.R.c2.z, X.p.z};
      Store(Output::kPose, pose, 12);
    }
  }

  /// Without the gravity that the states bring.
  DynamicsTerms GeneralTerms() const {
    DynamicsTerms terms = {{0, 0, 0},
                           setup_.viscous_friction,
                           setup_.coulomb_friction,
                           false,
                           setup_.coulomb_smoothing};
    for (int k = 0; k < 3 && !in_.Has(Input::kGravity); ++k) {
      terms.gravity[k] = setup_.gravity[k];
    }
    return terms;
  }

  /// What the tip exerts on the environment acts on the tip with its sign
  /// turned; in {k'}.
  Wrench<P> WrenchOnTip() const {
    Wrench<P> F = {{in_.wrench[0], in_.wrench[1], in_.wrench[2]},
                   {in_.wrench[3], in_.wrench[4], in_.wrench[5]}};
    const Vec3<P> p = {P(tip_.p[0]), P(tip_.p[1]), P(tip_.p[2])};
    switch (setup_.wrench_reference) {
      case ReferenceFrame::kLocal:
        TurnByMatrix(tip_.R, F.m);
        TurnByMatrix(tip_.R, F.f);
        F.m += Cross(p, F.f);
        break;
      case ReferenceFrame::kLocalWorldAligned:
        F = {pose_.last.RotateBack(F.m), pose_.last.RotateBack(F.f)};
        F.m += Cross(p, F.f);
        break;
      case ReferenceFrame::kWorld:
        F = {pose_.last.RotateBack(F.m - Cross(pose_.last.p, F.f)),
             pose_.last.RotateBack(F.f)};
        break;
    }
    return {-F.m, -F.f};
  }

  /// The terms with all that acts from outside, which is put into scratch.
  void LoadGeneralTerms() {
    general_terms_ = GeneralTerms();
    general_terms_.external_wrenches = has_wrenches();
    if (has_wrenches()) ApplyWrenches(tree_, Wrenches(), general_);
  }

  void Factor() {
    QuantityBits solved = kOfTheTask;
    // With articulated bodies their own pivots decide.
    if (by_factorization()) solved |= kOfForwardDynamics | kGeneralSolutions;
    unsigned doubtful = mass_.Factor(pivots_);
    if (doubtful != 0 && checks_articulated_pivots()) [[unlikely]] {
      doubtful &= DoubtfulOfArticulatedBodies();
    }
    doubts_.Add(solved, doubtful);
  }

  /// Of many joints the pivots of articulated bodies certify more than those of
  /// the factors, and H is the same.
  bool checks_articulated_pivots() const {
    return job_.lowered && !by_factorization();
  }

  __attribute__((noinline, cold)) unsigned DoubtfulOfArticulatedBodies() {
    Clear(result_, n_);
    LoweredSolve(lowered_, State(zeros_), low_, result_);
    return pivots_.DoubtfulAlongPaths(low_.pivot);
  }

  /// M⁻¹ (tau − h) from the bias forces in `result_`.
  void SolveAcceleration() {
    for (int i = 0; i < n_; ++i) result_[i] = in_.tau[i] - result_[i];
    if (by_factorization()) {
      mass_.Solve(result_);
    } else {
      LoweredSolve(lowered_, State(zeros_), low_, result_);
      CheckArticulatedPivots(low_.pivot);
    }
    StoreAcceleration();
  }

  void StoreAcceleration() {
    Store(Output::kAcceleration, result_, n_);
    if (!keeps_acceleration()) return;
    for (int i = 0; i < n_; ++i) acceleration_[i] = result_[i];
  }

  /// What QuantityTexts know.
  __attribute__((noinline)) void ComputeFurther() {
    if (job_.lowered) {
      ComputePlacements(tree_, in_.q, general_);
      ComputeWorldPlacements(tree_, general_);
      LoadGeneralTerms();
    }
    BaseMotion<P> motion;
    const QuantityInputs<P> in = {
        tree_,        general_terms_, &setup_.tip, setup_.reference,
        in_.v,        in_.a,          Wrenches(),  in_.FindBaseMotion(motion),
        acceleration_};
    ComputeQuantities(further_, in, general_, quantities_, Storing());
    if ((further_ & kGeneralSolutions) != 0) {
      CheckInverse(quantities_.forward_derivatives.mass);
    }
  }

  void CheckArticulatedPivots(const P* pivots) {
    doubts_.Add(kOfForwardDynamics, pivots_.DoubtfulAlongPaths(pivots));
  }

  /// Of M⁻¹, where nobody else factorizes M for it.
  void CheckInverse(const MassInverseScratch<P>& inverse) {
    if (by_factorization()) return;
    doubts_.Add(kGeneralSolutions,
                pivots_.DoubtfulByInverse(inverse.diagonal, inverse.pivots));
  }

  void TaskInertia(TaskResult<P>& task) {
    doubts_.Add(kOfTheTask, task_.ComputeInertia(in_.q, task, Storing()));
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
  /// What is for QuantityTexts of what is wanted.
  const QuantityBits further_;
  Carver carver_;
  BlockInputs<N> in_;
  BlockOutputs<N> out_;
  MassFactors<N> mass_;
  PivotTest<N> pivots_;
  BlockTask<N> task_;
  BlockDerivatives<N> derivatives_;
  P *s_, *c_, *zeros_, *result_, *h_, *J_;
  P* acceleration_ = nullptr;  // of forward dynamics, for what follows from it
  LoweredScratch<P> low_{};
  Scratch<P> general_{};
  QuantityScratch<P> quantities_{};

  LoweredTerms<P> terms_, with_wrench_;
  DynamicsTerms general_terms_{};
  LoweredTip<N> tip_{};
  WrenchPlace tip_wrench_{};

  long long row_ = 0;  // of the block under way
  int count_ = 0;
  RowDoubts<kLanes> doubts_;
  LinkMotion<P> motion_;
  TipPose<P> pose_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
