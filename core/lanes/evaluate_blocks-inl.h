// A job's rows, one block of lanes at a time: from the caller's tables to
// packs, through the algorithms, and back.
#pragma once

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/rank_bound-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/columns.h"
#include "core/lanes/sin_cos.h"
#include "core/lowered/crba-inl.h"
#include "core/lowered/kinematics-inl.h"
#include "core/lowered/rnea-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// What the lanes decide by themselves; the rest is left to the general text.
template <class N>
struct Trust;
template <>
struct Trust<double> {
  /// Least share of its diagonal that a pivot of the mass matrix may be.
  static constexpr double kPivot = 1e-9;
  /// Least bound of an eigenvalue from pivots, beside round-off.
  static constexpr double kBound = 1e-9;
};
template <>
struct Trust<float> {
  static constexpr float kPivot = 1e-4F;
  static constexpr float kBound = 2e-6F;
};

/// Forward dynamics by factorization of M up to so many degrees of freedom, by
/// articulated bodies beyond.
inline constexpr int kMaxFactorizedDof = 12;

/// M = L D Lᵀ in place; keeps the diagonal of M, the pivots and their
/// reciprocals. One copy of the code for each size, whoever calls it.
template <class Size, class T>
TORQUED_ONE_COPY void FactorMass(Size n, T* M, T* diagonal, T* pivots,
                                 T* reciprocal) {
  for (int i = 0; i < n; ++i) diagonal[i] = M[PackedRow(i) + i];
  FactorPacked(n, M, reciprocal);
  for (int i = 0; i < n; ++i) pivots[i] = M[PackedRow(i) + i];
}

template <class Size, class T>
TORQUED_ONE_COPY void SolveMass(Size n, const T* LD, const T* reciprocal,
                                T* x) {
  SolvePacked(n, LD, reciprocal, x);
}

template <class Rows, class Size, class T>
TORQUED_ONE_COPY void SolveTask(Rows m, Size n, const T* const* rows,
                                const T* LD, const T* reciprocal, const T* h,
                                const T* drift, T* Y, TaskResult<T>& result) {
  TaskInertia(m, n, rows, LD, reciprocal, h, drift, Y, result);
}

template <class N>
class BlockEvaluation {
 public:
  BlockEvaluation(const BlockJob& job, void* memory)
      : job_(job), tree_(job.tree), lowered_(Lowered(job)), n_(job.tree.n) {
    Layout(job, memory);
  }

  /// Working memory that the job takes.
  unsigned long bytes() const { return bytes_; }

  long long Run(long long begin, long long end, DoubtfulRow* doubtful) {
    Prepare();
    long long listed = 0;
    for (long long row = begin; row < end; row += kLanes) {
      const long long left = end - row;
      const int count = left < kLanes ? static_cast<int>(left) : kLanes;
      in_doubt_ = 0;
      Load(row, count);
      Compute(row, count);
      if (in_doubt_ == 0) [[likely]]
        continue;
      for (int l = 0; l < count; ++l) {
        if ((in_doubt_ >> l & 1u) == 0) continue;
        doubtful[listed++] = {row + l, doubts_[l]};
      }
    }
    if (job_.store_path == StorePath::kPastCaches) FenceCopies();
    return listed;
  }

 private:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  static const LoweredTreeOf<N>& Lowered(const BlockJob& job) {
    if constexpr (sizeof(N) == 8) {
      return job.lowered_f64;
    } else {
      return job.lowered_f32;
    }
  }

  bool wants_tau() const { return job_.tau_out.data != nullptr; }
  bool wants_mass() const { return job_.mass_matrix.data != nullptr; }
  bool wants_acceleration() const { return job_.acceleration.data != nullptr; }
  bool wants_bias() const { return job_.bias.data != nullptr; }
  bool wants_pose() const { return job_.pose.data != nullptr; }
  bool wants_jacobian() const { return job_.jacobian.data != nullptr; }
  bool wants_drift() const { return job_.drift.data != nullptr; }
  bool wants_task() const { return job_.task; }
  bool wants_frame() const {
    return wants_pose() || wants_jacobian() || wants_drift() || wants_task();
  }
  bool has_wrench() const {
    return job_.wrench.data != nullptr && job_.path_length > 0;
  }
  bool by_factorization() const { return n_ <= kMaxFactorizedDof; }
  /// What of the lowered texts and of the general ones takes part.
  bool uses_articulated() const {
    return wants_acceleration() && !by_factorization();
  }
  bool uses_general() const { return !job_.lowered || uses_articulated(); }

  void Layout(const BlockJob& job, void* memory) {
    Carver carver(memory);
    const auto n = static_cast<unsigned long>(n_);
    carver.Take(q_, n);
    carver.Take(v_, n);
    carver.Take(a_, n);
    carver.Take(tau_, n);
    carver.Take(wrench_, 6);
    carver.Take(s_, n);
    carver.Take(c_, n);
    carver.Take(zeros_, n);
    carver.Take(result_, n);
    carver.Take(h_, n);
    carver.Take(M_, static_cast<unsigned long>(PackedSize(n_)));
    carver.Take(diagonal_, n);
    carver.Take(pivots_, n);
    carver.Take(reciprocal_, n);
    carver.Take(J_, 6 * n);
    carver.Take(Y_, 7 * n);
    carver.Take(low_.F, n);
    const auto slots = static_cast<unsigned long>(lowered_.slots);
    carver.Take(low_.motion, slots);
    carver.Take(low_.sum, slots);
    unsigned long widest = 0;
    const auto take = [&widest](int columns) {
      const auto wide = static_cast<unsigned long>(columns);
      widest = wide > widest ? wide : widest;
    };
    const LaneInput* const inputs[] = {&job.q, &job.v, &job.a, &job.tau,
                                       &job.wrench};
    for (const LaneInput* in : inputs) take(in->columns);
    const LaneOutput* const outputs[] = {
        &job.tau_out, &job.mass_matrix, &job.acceleration,
        &job.bias,    &job.pose,        &job.jacobian,
        &job.drift,   &job.lambda,      &job.eta};
    for (const LaneOutput* out : outputs) take(out->columns);
    carver.Take(staging_, widest * kLanes * sizeof(double));
    if (uses_general()) Carve<P>(n, carver, general_);
    bytes_ = carver.used();
  }

  /// What stays the same from block to block.
  void Prepare() {
    Clear(zeros_, n_);
    if (job_.q.data == nullptr) Clear(q_, n_);
    if (job_.v.data == nullptr) Clear(v_, n_);
    if (job_.a.data == nullptr) Clear(a_, n_);
    if (wants_frame()) Clear(J_, 6 * n_);
    one_row_poison_ = Poison<N>();
    LoadOneRow(job_.q, q_);
    LoadOneRow(job_.v, v_);
    LoadOneRow(job_.a, a_);
    LoadOneRow(job_.tau, tau_);
    LoadOneRow(job_.wrench, wrench_);
    for (int i = 0; i < n_; ++i) {
      if (tree_.bodies[i].parent != i - 1) branched_ = true;
      if (job_.lowered &&
          lowered_.bodies[i].motion == JointMotion::kPrismatic) {
        s_[i] = P(lowered_.bodies[i].sin_q0);
        c_[i] = P(lowered_.bodies[i].cos_q0);
      }
    }
    terms_.gravity = {P(N(job_.gravity[0])), P(N(job_.gravity[1])),
                      P(N(job_.gravity[2]))};
    terms_.viscous_friction = job_.viscous_friction;
    terms_.coulomb_friction = job_.coulomb_friction;
    terms_.wrench_body = kBase;
    terms_.wrench = Wrench<P>::Zero();
    tip_.path = job_.path;
    tip_.length = job_.path_length;
    tip_.reference = job_.reference;
    for (int k = 0; k < 9; ++k) tip_.R[k] = N(job_.lowered_tip.R[k]);
    for (int k = 0; k < 3; ++k) tip_.p[k] = N(job_.lowered_tip.p[k]);
    for (int k = 0; k < job_.task_rows; ++k) {
      scale_[k] = N(job_.row_scale[k]);
      task_rows_[k] = J_ + job_.task_axes[k] * n_;
    }
    if (uses_general()) {
      for (int i = 0; i < n_; ++i) general_.W[i] = Wrench<P>::Zero();
    }
  }

  static void Clear(P* packs, int count) {
    for (int k = 0; k < count; ++k) packs[k] = P(N(0));
  }

  void LoadOneRow(const LaneInput& in, P* packs) {
    if (in.data == nullptr || !in.one_row) return;
    if (in.f32) {
      LoadAlone(static_cast<const float*>(in.data), in, packs, one_row_poison_);
    } else {
      LoadAlone(static_cast<const double*>(in.data), in, packs,
                one_row_poison_);
    }
  }

  void Load(long long row, int count) {
    Poison<N> poison = one_row_poison_;
    LoadInput(job_.q, row, count, q_, poison);
    LoadInput(job_.v, row, count, v_, poison);
    LoadInput(job_.a, row, count, a_, poison);
    LoadInput(job_.tau, row, count, tau_, poison);
    LoadInput(job_.wrench, row, count, wrench_, poison);
    const Mask<N> bad = poison.lanes();
    if (const unsigned lanes = LaneBits(bad); lanes != 0) [[unlikely]] {
      Doubt(kLaneAll, lanes);
      Quiet(bad);
    }
  }

  /// Of the lanes that are set.
  TORQUED_INLINE void Doubt(unsigned quantities, unsigned lanes) {
    if (lanes != 0) [[unlikely]]
      NoteDoubts(quantities, lanes);
  }
  __attribute__((noinline, cold)) void NoteDoubts(unsigned quantities,
                                                  unsigned lanes) {
    for (int l = 0; l < kLanes; ++l) {
      if ((lanes >> l & 1u) == 0) continue;
      const bool first = (in_doubt_ >> l & 1u) == 0;
      doubts_[l] = (first ? 0u : doubts_[l]) | quantities;
    }
    in_doubt_ |= lanes;
  }

  /// Safe values into the lanes that are left to the general text.
  __attribute__((noinline, cold)) void Quiet(const Mask<N>& lanes) {
    // What is the same for all rows is loaded once and must stay.
    const auto clear = [&](const LaneInput& in, P* packs) {
      if (in.data == nullptr || in.one_row) return;
      for (int k = 0; k < in.columns; ++k) {
        packs[k] = Select(lanes, P(N(0)), packs[k]);
      }
    };
    clear(job_.q, q_);
    clear(job_.v, v_);
    clear(job_.a, a_);
    clear(job_.tau, tau_);
    clear(job_.wrench, wrench_);
  }

  void LoadInput(const LaneInput& in, long long row, int count, P* packs,
                 Poison<N>& poison) {
    if (in.data == nullptr || in.one_row || in.columns == 0) return;
    if (in.f32) {
      LoadTable(static_cast<const float*>(in.data), in, row, count, packs,
                poison);
    } else {
      LoadTable(static_cast<const double*>(in.data), in, row, count, packs,
                poison);
    }
  }

  template <class Number>
  void LoadTable(const Number* table, const LaneInput& in, long long row,
                 int count, P* packs, Poison<N>& poison) {
    const Number* rows = table + row * in.columns;
    // Whether or not there are rows so far ahead: a hint reads nothing.
    constexpr long kAheadBytes = 2048;
    const char* ahead = reinterpret_cast<const char*>(rows) + kAheadBytes;
    const long block_bytes =
        static_cast<long>(kLanes * sizeof(Number)) * in.columns;
    for (long k = 0; k < block_bytes; k += 64) __builtin_prefetch(ahead + k);
    if (count == 1) {
      LoadAlone(rows, in, packs, poison);
      return;
    }
    if (count < kLanes) {
      // The last row stands for those that are missing.
      auto* padded = reinterpret_cast<Number*>(staging_);
      for (int l = 0; l < kLanes; ++l) {
        const Number* from = rows + (l < count ? l : count - 1) * in.columns;
        for (int j = 0; j < in.columns; ++j) *padded++ = Read(from + j);
      }
      rows = reinterpret_cast<const Number*>(staging_);
    }
    if constexpr (sizeof(Number) == sizeof(N)) {
      LoadColumns(rows, in.columns, in.places, packs, poison);
    } else {
      LoadColumnsConverted(rows, in.columns, in.places, packs, poison);
    }
  }

  /// One row for all lanes.
  template <class Number>
  static void LoadAlone(const Number* row, const LaneInput& in, P* packs,
                        Poison<N>& poison) {
    for (int j = 0; j < in.columns; ++j) {
      P& pack = packs[in.places != nullptr ? in.places[j] : j];
      pack = P(static_cast<N>(Read(row + j)));
      poison.Add(j, pack);
    }
  }

  void Compute(long long row, int count) {
    if (job_.lowered) {
      ComputeLowered(row, count);
    } else {
      ComputeGeneral(row, count);
    }
  }

  LoweredState<P> State(const P* accelerations) const {
    return {s_, c_, q_, v_, accelerations};
  }

  void ComputeLowered(long long row, int count) {
    LoweredAngles();
    // The factorization comes early: its chain of divisions leaves room for
    // what follows.
    LoweredMass(row, count);
    LoweredFrame(row, count);
    LoweredTerms<P> with_wrench = terms_;
    if (has_wrench()) {
      with_wrench.wrench_body = job_.path[job_.path_length - 1];
      with_wrench.wrench = WrenchOnTip();
    }
    if (wants_tau()) {
      LoweredInverseDynamics(lowered_, with_wrench, State(a_), low_, result_,
                             kBase, &motion_);
      Store(kLaneTau, job_.tau_out, row, count, result_, n_);
    }
    if (wants_acceleration()) {
      if (by_factorization()) {
        LoweredInverseDynamics(lowered_, with_wrench, State(zeros_), low_,
                               result_, kBase, &motion_);
        SolveAcceleration(row, count);
      } else {
        ComputePlacements(tree_, q_, general_);
        if (has_wrench()) ComputeWorldPlacements(tree_, general_);
        GeneralWrench();
        ArticulatedAcceleration(row, count);
      }
    }
    if (wants_bias() || wants_task()) {
      const int watched =
          job_.path_length > 0 ? job_.path[job_.path_length - 1] : kBase;
      LoweredInverseDynamics(lowered_, terms_, State(zeros_), low_, h_, watched,
                             &motion_);
      if (wants_bias()) Store(kLaneBias, job_.bias, row, count, h_, n_);
    }
    P drift[6];
    if (wants_task()) {
      LoweredDrift(lowered_, tip_, State(zeros_), terms_.gravity, motion_,
                   pose_, J_, drift);
      Task(drift, row, count);
    }
    if (wants_drift()) {
      LoweredTipMotion(lowered_, tip_, State(zeros_), &motion_);
      LoweredDrift(lowered_, tip_, State(zeros_), Vec3<P>::Zero(), motion_,
                   pose_, J_, drift);
      Store(kLaneDrift, job_.drift, row, count, drift, 6);
    }
  }

  /// Sine and cosine of q + q0; those of prismatic joints are constants.
  void LoweredAngles() {
    Mask<N> large = Mask<N>::None();
    for (int i = 0; i < n_; ++i) {
      const LoweredBody<N>& body = lowered_.bodies[i];
      if (body.motion != JointMotion::kRevolute) continue;
      const P x = q_[i] + P(body.q0);
      SinCosInRange(x, s_[i], c_[i]);
      large |= OutOfRange(x);
    }
    if (LaneBits(large) == 0) [[likely]]
      return;
    for (int i = 0; i < n_; ++i) {
      const LoweredBody<N>& body = lowered_.bodies[i];
      if (body.motion != JointMotion::kRevolute) continue;
      const P x = q_[i] + P(body.q0);
      const unsigned lanes = LaneBits(OutOfRange(x));
      if (lanes != 0) LibrarySinCos(x, lanes, &s_[i], &c_[i]);
    }
  }

  bool wants_factors() const {
    return wants_task() || (wants_acceleration() && by_factorization());
  }

  void LoweredMass(long long row, int count) {
    if (!wants_mass() && !wants_factors()) return;
    if (branched_) {
      for (int k = 0; k < PackedSize(n_); ++k) M_[k] = P(N(0));
    }
    LoweredMassMatrix(lowered_, State(zeros_), low_, M_);
    if (wants_mass()) {
      Store(kLaneMassMatrix, job_.mass_matrix, row, count, M_, PackedSize(n_));
    }
    if (wants_factors()) Factor();
  }

  void LoweredFrame(long long row, int count) {
    if (!wants_frame() &&
        !(has_wrench() && job_.wrench_reference != ReferenceFrame::kLocal)) {
      return;
    }
    LoweredTipPose(lowered_, tip_, State(zeros_), J_, &pose_);
    if (wants_pose()) StorePose(row, count);
    if (!wants_jacobian() && !wants_drift() && !wants_task()) return;
    LoweredJacobian(lowered_, tip_, pose_, J_);
    if (wants_jacobian()) {
      Store(kLaneJacobian, job_.jacobian, row, count, J_, 6 * n_);
    }
  }

  void StorePose(long long row, int count) {
    const PoseRows<P>& X = pose_.tip;
    const P pose[12] = {X.r0.x, X.r0.y, X.r0.z, X.p.x,  X.r1.x, X.r1.y,
                        X.r1.z, X.p.y,  X.r2.x, X.r2.y, X.r2.z, X.p.z};
    Store(kLanePose, job_.pose, row, count, pose, 12);
  }

  void ComputeGeneral(long long row, int count) {
    ComputePlacements(tree_, q_, general_);
    if (wants_frame() || has_wrench()) ComputeWorldPlacements(tree_, general_);
    GeneralWrench();
    DynamicsTerms terms = GeneralTerms();
    terms.external_wrenches = has_wrench();
    if (wants_tau()) {
      InverseDynamics(tree_, terms, static_cast<const P*>(v_),
                      static_cast<const P*>(a_), general_, result_);
      Store(kLaneTau, job_.tau_out, row, count, result_, n_);
    }
    if (wants_jacobian() || wants_task()) {
      FrameJacobian(tree_, job_.tip, job_.reference, general_, J_);
      if (wants_jacobian())
        Store(kLaneJacobian, job_.jacobian, row, count, J_, 6 * n_);
    }
    if (wants_bias() || wants_task()) {
      InverseDynamics(tree_, GeneralTerms(), static_cast<const P*>(v_),
                      static_cast<const P*>(nullptr), general_, h_);
      if (wants_bias()) Store(kLaneBias, job_.bias, row, count, h_, n_);
    }
    if (wants_mass() || wants_factors()) {
      MassMatrix(tree_, general_, general_.M);
      for (int i = 0; i < n_; ++i) {
        for (int j = 0; j <= i; ++j) {
          M_[PackedRow(i) + j] = general_.M[i * n_ + j];
        }
      }
      if (wants_mass()) {
        Store(kLaneMassMatrix, job_.mass_matrix, row, count, M_,
              PackedSize(n_));
      }
    }
    if (wants_factors()) Factor();
    if (wants_acceleration()) {
      if (by_factorization()) {
        InverseDynamics(tree_, terms, static_cast<const P*>(v_),
                        static_cast<const P*>(nullptr), general_, result_);
        SolveAcceleration(row, count);
      } else {
        ArticulatedAcceleration(row, count);
      }
    }
    if (wants_drift() || wants_task()) {
      P drift[6];
      FrameDrift(tree_, job_.tip, job_.reference, static_cast<const P*>(v_),
                 general_, drift);
      if (wants_drift()) Store(kLaneDrift, job_.drift, row, count, drift, 6);
      if (wants_task()) Task(drift, row, count);
    }
    if (wants_pose()) {
      const Transform<P> X = FramePlacement(tree_, job_.tip, general_);
      const P pose[12] = {X.R.c0.x, X.R.c1.x, X.R.c2.x, X.p.x,
                          X.R.c0.y, X.R.c1.y, X.R.c2.y, X.p.y,
                          X.R.c0.z, X.R.c1.z, X.R.c2.z, X.p.z};
      Store(kLanePose, job_.pose, row, count, pose, 12);
    }
  }

  DynamicsTerms GeneralTerms() const {
    return {{job_.gravity[0], job_.gravity[1], job_.gravity[2]},
            job_.viscous_friction,
            job_.coulomb_friction,
            false};
  }

  /// What the tip exerts on the environment acts on the tip with its sign
  /// turned; in {k'}.
  Wrench<P> WrenchOnTip() const {
    Wrench<P> F = {{wrench_[0], wrench_[1], wrench_[2]},
                   {wrench_[3], wrench_[4], wrench_[5]}};
    const Vec3<P> p = {P(tip_.p[0]), P(tip_.p[1]), P(tip_.p[2])};
    switch (job_.wrench_reference) {
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

  void GeneralWrench() {
    if (!has_wrench()) return;
    const Wrench<P> F = WrenchInBody(tree_, job_.tip, job_.wrench_reference,
                                     static_cast<const P*>(wrench_), general_);
    general_.W[job_.tip.body] = F * P(N(-1));
  }

  void Factor() {
    switch (n_) {
      case 6:
        FactorMass(Int<6>{}, M_, diagonal_, pivots_, reciprocal_);
        break;
      case 7:
        FactorMass(Int<7>{}, M_, diagonal_, pivots_, reciprocal_);
        break;
      default:
        FactorMass(n_, M_, diagonal_, pivots_, reciprocal_);
    }
    const P share{Trust<N>::kPivot};
    Mask<N> sound = !Mask<N>::None();
    for (int i = 0; i < n_; ++i) {
      sound = sound & (pivots_[i] > share * diagonal_[i]);
    }
    // With articulated bodies their own pivots decide.
    Doubt(kLaneTask | (by_factorization() ? kLaneAcceleration : 0u),
          LaneBits(!sound));
  }

  /// M⁻¹ (tau − h) from the bias forces in `result_`.
  void SolveAcceleration(long long row, int count) {
    for (int i = 0; i < n_; ++i) result_[i] = tau_[i] - result_[i];
    switch (n_) {
      case 6:
        SolveMass(Int<6>{}, M_, reciprocal_, result_);
        break;
      case 7:
        SolveMass(Int<7>{}, M_, reciprocal_, result_);
        break;
      default:
        SolveMass(n_, M_, reciprocal_, result_);
    }
    Store(kLaneAcceleration, job_.acceleration, row, count, result_, n_);
  }

  void ArticulatedAcceleration(long long row, int count) {
    DynamicsTerms terms = GeneralTerms();
    terms.external_wrenches = has_wrench();
    ForwardDynamics(tree_, terms, static_cast<const P*>(v_),
                    static_cast<const P*>(tau_), general_, result_);
    // The largest pivot stands for the inertias that they are compared with.
    constexpr N kSuspicious = sizeof(N) == 8 ? N(1e-8) : N(1e-4);
    P largest(N(0));
    for (int i = 0; i < n_; ++i) largest = Max(largest, general_.d[i]);
    largest = largest * P(kSuspicious);
    Mask<N> sound = !Mask<N>::None();
    for (int i = 0; i < n_; ++i) sound = sound & (general_.d[i] > largest);
    Doubt(kLaneAcceleration, LaneBits(!sound));
    Store(kLaneAcceleration, job_.acceleration, row, count, result_, n_);
  }

  void Task(const P* drift, long long row, int count) {
    const int m = job_.task_rows;
    P task_drift[6];
    for (int k = 0; k < m; ++k) task_drift[k] = drift[job_.task_axes[k]];
    TaskResult<P> task;
    const auto solve = [&](auto rows, auto size) {
      SolveTask(rows, size, static_cast<const P* const*>(task_rows_),
                static_cast<const P*>(M_), static_cast<const P*>(reciprocal_),
                static_cast<const P*>(h_), static_cast<const P*>(task_drift),
                Y_, task);
    };
    if (m == 6 && n_ == 6) {
      solve(Int<6>{}, Int<6>{});
    } else if (m == 6 && n_ == 7) {
      solve(Int<6>{}, Int<7>{});
    } else {
      solve(m, n_);
    }
    const P tolerance{N(job_.rank_tolerance * job_.rank_tolerance)};
    const P trusted{Trust<N>::kBound};
    P trust;
    const P* const* rows = task_rows_;
    const P bound = MobilityRankBound(
        m, n_, rows, scale_, static_cast<const P*>(task.diagonal),
        static_cast<const P*>(task.pivots), static_cast<const P*>(diagonal_),
        static_cast<const P*>(pivots_), trust);
    const unsigned irregular = LaneBits(!(trust > trusted));
    unsigned uncertain = LaneBits(!(bound > tolerance));
    if ((uncertain & ~irregular) != 0) {
      P trust_J;
      const P sharper = JacobianRankBound(m, n_, rows, scale_, trust_J);
      uncertain &= LaneBits(!((sharper > tolerance) & (trust_J > trusted)));
    }
    // Fewer joints than task rows: never of full rank.
    const bool enough = job_.path_length >= m;
    Doubt(kLaneTask, enough ? irregular | uncertain : ~0u >> (32 - kLanes));
    Store(kLaneTask, job_.lambda, row, count, task.lambda, PackedSize(m));
    Store(kLaneTask, job_.eta, row, count, task.eta, m);
  }

  /// `distinct` results, of which the table's columns are made.
  void Store(LaneQuantity quantity, const LaneOutput& out, long long row,
             int count, const P* packs, int distinct) {
    if (out.data == nullptr || out.columns == 0) return;
    if (out.f32 && sizeof(N) == 8) {
      // Beyond this a number rounds to infinity in single precision.
      const P limit(N(3.4028235677973366e38));
      Mask<N> sound = !Mask<N>::None();
      for (int k = 0; k < distinct; ++k) {
        sound = sound & (Abs(packs[k]) < limit);
      }
      Doubt(quantity, LaneBits(!sound));
    } else {
      Poison<N> poison;
      poison.Add(packs, distinct);
      Doubt(quantity, LaneBits(poison.lanes()));
    }
    if (out.f32) {
      StoreTable(static_cast<float*>(out.data), out, row, count, packs);
    } else {
      StoreTable(static_cast<double*>(out.data), out, row, count, packs);
    }
  }

  template <class Number>
  void StoreTable(Number* table, const LaneOutput& out, long long row,
                  int count, const P* packs) {
    Number* rows = table + row * out.columns;
    const unsigned long bytes = static_cast<unsigned long>(count) *
                                static_cast<unsigned long>(out.columns) *
                                sizeof(Number);
    const bool whole = count == kLanes && bytes % kRegisterBytes == 0;
    const bool past_caches = job_.store_path == StorePath::kPastCaches &&
                             whole && bytes % 64 == 0 &&
                             reinterpret_cast<unsigned long>(rows) % 64 == 0;
    // Short rows fill lines of the cache one after the other as it is.
    constexpr unsigned long kShortRow = 128;
    const bool gathered =
        past_caches ||
        (job_.store_path != StorePath::kDirect && whole &&
         static_cast<unsigned long>(out.columns) * sizeof(Number) > kShortRow);
    const bool staged = gathered || count < kLanes;
    Number* to = staged ? reinterpret_cast<Number*>(staging_) : rows;
    if constexpr (sizeof(Number) == sizeof(N)) {
      StoreColumns(packs, out.columns, out.sources, to);
    } else {
      StoreColumnsConverted(packs, out.columns, out.sources, to);
    }
    if (!staged) return;
    if (past_caches) {
      CopyPastCaches(staging_, rows, static_cast<long>(bytes));
    } else if (gathered) {
      CopyRegisters(staging_, rows, static_cast<long>(bytes));
    } else {
      __builtin_memcpy(rows, staging_, bytes);
    }
  }

  const BlockJob& job_;
  const Tree tree_;
  const LoweredTreeOf<N>& lowered_;
  const int n_;
  unsigned long bytes_ = 0;
  bool branched_ = false;  // some joint does not follow its predecessor

  P *q_, *v_, *a_, *tau_, *wrench_, *s_, *c_, *zeros_, *result_, *h_;
  P *M_, *diagonal_, *pivots_, *reciprocal_, *J_, *Y_;
  LoweredScratch<P> low_{};
  Scratch<P> general_{};
  char* staging_;
  LoweredTerms<P> terms_;
  LoweredTip<N> tip_{};
  const P* task_rows_[6] = {};
  N scale_[6] = {};
  Poison<N> one_row_poison_;
  LinkMotion<P> motion_;
  TipPose<P> pose_;
  unsigned in_doubt_ = 0;    // lanes
  unsigned doubts_[kLanes];  // quantities, of the lanes in doubt
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
