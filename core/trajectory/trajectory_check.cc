#include "core/trajectory/trajectory_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <string>
#include <utility>

#include "core/trajectory/check_options.h"

namespace torqued {
namespace {

using Index = std::int64_t;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Samples that are computed at a time, and these times joints: what they take
/// stays small, and a check can be cancelled.
constexpr Index kSlab = 8192;
constexpr Index kSlabNumbers = 8 * kSlab;
/// Estimated upper bound of a slab's time if the caller computes alone, even if
/// all samples are singular: others wait for its thread.
constexpr double kSlabNanoseconds = 20e6;

/// Results of a slab, one row a sample.
using Table = std::vector<double>;

/// Which numbers a plan reads.
struct Reads {
  bool v = true;
  bool a = true;
  bool v_as_a = false;
  bool wrench = true;
};

InputArray Rows(const SampleView& table, Index first, Index count) {
  return {table.data() + first * table.cols(), NumberType::kF64, count,
          static_cast<int>(table.cols())};
}

/// λ_max / λ_min of a positive definite W, whose inverse has the same.
double ConditionOf(const double* W, const TaskOptions& task) {
  const int m = task.axis_count;
  Eigen::VectorXd scale(m);
  for (int k = 0; k < m; ++k) {
    scale[k] = task.axes[k] >= 3 ? 1 / task.characteristic_length : 1.0;
  }
  const SampleTable scaled =
      scale.asDiagonal() * SampleView(W, m, m) * scale.asDiagonal();
  if (!scaled.allFinite()) return kInfinity;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      scaled, Eigen::EigenvaluesOnly);
  const double low = solver.eigenvalues()[0],
               high = solver.eigenvalues()[m - 1];
  // Below that rounding alone decides.
  const bool singular =
      !(low > m * std::numeric_limits<double>::epsilon() * high);
  return singular ? kInfinity : high / low;
}

/// `between`: velocities are judged between samples, too.
FineStep FineStepOf(const CheckedJoint& joint, bool between) {
  constexpr double kTurn = 0.25, kShareOfLimit = 0.1;
  FineStep fine{kInfinity, kInfinity};
  if (joint.type != JointType::kPrismatic) {
    fine.position = kTurn;
  } else if (joint.upper > joint.lower) {
    fine.position = kShareOfLimit * (joint.upper - joint.lower);
  }
  if (!between && joint.velocity > 0) {
    fine.velocity = kShareOfLimit * joint.velocity;
  }
  return fine;
}

class Run final : public TrajectoryCheck {
 public:
  Run(const Trajectory& trajectory, const TrajectoryTables& tables,
      CheckSetup setup, const TrajectoryOptions& options)
      : trajectory_(trajectory),
        tables_(tables),
        setup_(std::move(setup)),
        n_(static_cast<int>(setup_.joints.size())),
        consistent_(options.consistent),
        tallies_(setup_.joints.size()),
        violations_(n_, trajectory.time, options.merge_gap) {
    std::vector<bool> turns;
    for (const CheckedJoint& joint : setup_.joints) {
      turns.push_back(joint.type == JointType::kContinuous);
      fine_steps_.push_back(
          FineStepOf(joint, /*between=*/trajectory.spline.has_value()));
    }
    if (!trajectory.spline) {
      remarks_.emplace(trajectory_.time, trajectory_.q, trajectory_.v,
                       trajectory_.a, std::move(turns));
    }
    // Terms of the heavier of the two payloads.
    if (const auto& other = setup_.reference_load) {
      const bool heavier = setup_.other_mass > setup_.load_mass;
      terms_.emplace(heavier ? *other : setup_.torques, setup_.load_reach);
      term_bounds_.resize(tallies_.size());
    }
  }

  const EvaluationPlan& plan() const override { return setup_.torques; }
  Index done() const override { return done_; }
  Index total() const override {
    return static_cast<Index>(trajectory_.time.size());
  }

  std::int64_t step_bytes() const override {
    const int tables =
        2 + (setup_.reference_load ? 1 : 0) + (tables_.a != nullptr ? 1 : 0);
    Index of_a_sample = Index{tables} * n_;
    if (setup_.space) {
      const Index m = setup_.task.axis_count;
      of_a_sample += m * m + 2;  // mobility; σ_min and rank
    }
    return std::min(MostOfASlab(), total()) * of_a_sample *
           static_cast<Index>(sizeof(double));
  }

  std::optional<ArgumentError> Advance(
      Engine& engine, CheckThreads threads,
      const std::shared_ptr<CancellationToken>& cancellation) override {
    Index most = MostOfASlab();
    if (threads == CheckThreads::kTheCaller) {
      const double sample = std::max(NanosecondsOfSample(), 1.0);
      most = std::clamp<Index>(static_cast<Index>(kSlabNanoseconds / sample), 1,
                               most);
    }
    if (remarks_ && !remarks_->ready()) {
      remarks_->Prepare(most);
      return std::nullopt;
    }
    const Index first = done_, count = std::min(most, total() - first);
    engine_ = &engine;
    threads_ = threads;
    cancellation_ = cancellation;
    auto problem = Compute(first, count);
    // A cancelled plan leaves its results undefined.
    if (cancellation != nullptr && cancellation->cancelled()) {
      return std::nullopt;
    }
    if (problem) return problem;
    for (Index k = 0; k < count; ++k) {
      if (auto error = AddSample(first + k, k)) return error;
    }
    done_ += count;
    return std::nullopt;
  }

  TrajectoryVerdict Finish() override {
    const auto& time = trajectory_.time;
    verdict_.duration = time.empty() ? 0 : time.back() - time.front();
    for (const JointTally& tally : tallies_) {
      const JointDemand& demand =
          verdict_.joints.emplace_back(tally.Finish(verdict_.duration));
      verdict_.energy_given += demand.energy_given;
      verdict_.energy_taken += demand.energy_taken;
    }
    verdict_.limits.assign(setup_.joints.begin(), setup_.joints.end());
    verdict_.violations = violations_.Finish();
    if (remarks_) {
      verdict_.remarks = remarks_->Finish();
    } else {
      verdict_.remarks.counts.resize(tallies_.size());
    }
    verdict_.passes = verdict_.violations.count == 0 &&
                      !(consistent_ && verdict_.remarks.count > 0);
    verdict_.payload_looked_at = setup_.reference_load.has_value();
    if (verdict_.payload_looked_at) verdict_.payload = payload_.Find();
    verdict_.slow_down = slow_down_.Find();
    return std::move(verdict_);
  }

 private:
  struct Slab {
    Table tau, still, other_load, push, sigma_min, mobility;
    std::vector<std::uint32_t> rank;
  };

  Index MostOfASlab() const {
    return std::clamp<Index>(kSlabNumbers / std::max(n_, 1), 1, kSlab);
  }

  /// Estimate for all plans; a singular task is computed one state at a time.
  double NanosecondsOfSample() const {
    constexpr double kSingularTask = 5000;
    return 4 * setup_.torques.cost() +
           (setup_.space ? setup_.space->cost() + kSingularTask : 0);
  }

  static ArgumentError Overflow(Index row, const std::string& sentence,
                                const std::string& joint = {}) {
    return {ArgumentError::Code::kInvalidSample, "samples",
            "Sample " + std::to_string(row) + ": " + sentence, row, joint};
  }

  /// One table of a plan for some samples.
  std::optional<ArgumentError> Evaluate(EvaluationPlan plan, Output output,
                                        const Reads& reads, Index first,
                                        Index count, Table& table) {
    EvaluationInputs inputs;
    inputs.q = Rows(trajectory_.q, first, count);
    const InputArray v = Rows(trajectory_.v, first, count);
    if (reads.v) inputs.v = v;
    if (reads.a) inputs.a = Rows(trajectory_.a, first, count);
    if (reads.v_as_a) inputs.a = v;
    const SampleView& wrench = trajectory_.tip_wrench;
    if (reads.wrench && wrench.rows() > 0) {
      inputs.tip_wrench =
          wrench.rows() == 1 ? Rows(wrench, 0, 1) : Rows(wrench, first, count);
    }
    if (auto error = plan.Rebind(inputs)) return error;
    table.resize(count * plan.columns(output));
    EvaluationOutputs outputs;
    outputs[output] = {table.data(), NumberType::kF64};
    if (output == Output::kMobility) {
      slab_.sigma_min.resize(count);
      slab_.rank.resize(count);
      outputs.sigma_min = slab_.sigma_min.data();
      outputs.rank = slab_.rank.data();
    }
    const EvaluationReport report =
        threads_ == CheckThreads::kTheCaller
            ? engine_->EvaluateHere(plan, outputs, cancellation_)
            : engine_->Evaluate(plan, outputs);
    if (report.failed) throw std::bad_alloc();
    for (const RowIssue& issue : report.issues) {
      // A task without full rank, or without a mass, is what is looked for.
      if (output != Output::kTau) break;
      return Overflow(first + issue.row, "the torques overflow.");
    }
    return std::nullopt;
  }

  std::optional<ArgumentError> Compute(Index first, Index count) {
    const auto* other =
        setup_.reference_load ? &*setup_.reference_load : nullptr;
    const auto* push = tables_.a != nullptr ? &setup_.inertial_plan : nullptr;
    const struct {
      const EvaluationPlan* plan;
      Reads reads;
      Table& table;
    } torques[] = {{&setup_.torques, {}, slab_.tau},
                   {&setup_.static_plan, {.v = false, .a = false}, slab_.still},
                   {other, {}, slab_.other_load},
                   {push,
                    {.v = false, .a = false, .v_as_a = true, .wrench = false},
                    slab_.push}};
    for (const auto& [plan, reads, table] : torques) {
      if (plan == nullptr) continue;
      if (auto error =
              Evaluate(*plan, Output::kTau, reads, first, count, table)) {
        return error;
      }
    }
    if (setup_.space) {
      return Evaluate(*setup_.space, Output::kMobility,
                      {.v = false, .a = false, .wrench = false}, first, count,
                      slab_.mobility);
    }
    return std::nullopt;
  }

  std::optional<ArgumentError> AddSample(Index row, Index in_slab) {
    if (row > 0) AddStep(row - 1);
    if (terms_) terms_->Bound(StateAt(row), term_bounds_);
    const double step =
        row == 0 ? 0 : trajectory_.time[row] - trajectory_.time[row - 1];
    double power = 0;
    for (int j = 0; j < n_; ++j) {
      const Index at = in_slab * n_ + j;
      AddJoint(row, j, step, at);
      power += slab_.tau[at] * trajectory_.v(row, j);
    }
    if (!std::isfinite(power)) return Overflow(row, "a power overflows.");
    for (int j = 0; j < n_; ++j) {
      if (!tallies_[j].overflows()) continue;
      const std::string& joint = setup_.joints[j].name;
      return Overflow(
          row,
          "the energy of joint " + joint + " or its mean square overflows.",
          joint);
    }
    KeepLargest(verdict_.highest_power, {row, power});
    KeepSmallest(verdict_.lowest_power, {row, power});
    if (setup_.space) AddInertia(row, in_slab);
    return std::nullopt;
  }

  /// The step from a row to the next one.
  void AddStep(Index row) {
    const double step = trajectory_.time[row + 1] - trajectory_.time[row];
    if (remarks_) remarks_->AddStep(row);
    for (int j = 0; j < n_; ++j) {
      CoarseStep coarse{.row = row, .joint = j, .duration = step};
      coarse.position_change =
          trajectory_.q(row + 1, j) - trajectory_.q(row, j);
      coarse.velocity_change =
          trajectory_.v(row + 1, j) - trajectory_.v(row, j);
      if (setup_.joints[j].type == JointType::kContinuous) {
        coarse.position_change =
            std::remainder(coarse.position_change, 2 * std::numbers::pi);
      }
      coarse.share =
          std::max(std::abs(coarse.position_change) / fine_steps_[j].position,
                   std::abs(coarse.velocity_change) / fine_steps_[j].velocity);
      std::optional<CoarseStep>& coarsest = verdict_.coarse_step;
      if (coarse.share > (coarsest ? coarsest->share : 1)) coarsest = coarse;
      if (trajectory_.spline) AddBetween(row, j, step);
    }
  }

  /// The extrema of the spline between a row and the next one.
  void AddBetween(Index row, int j, double step) {
    const auto node = [this, j](Index at) {
      return SplineNode{trajectory_.q(at, j), trajectory_.v(at, j),
                        trajectory_.a(at, j)};
    };
    const CheckedJoint& joint = setup_.joints[j];
    JointTally& tally = tallies_[j];
    const ExtremaBetween extrema =
        FindExtremaBetween(*trajectory_.spline, step, node(row), node(row + 1));
    for (const SplineExtremum& turn : extrema.positions) {
      tally.AddPosition(row, turn.after, turn.value);
      FindPositionViolation(turn.value, joint, {row, j, turn.after});
    }
    for (const SplineExtremum& turn : extrema.velocities) {
      const SamplePlace place{row, j, turn.after};
      tally.AddVelocity(row, turn.after, turn.value, joint.velocity);
      FindExcess(LimitKind::kVelocity, turn.value, joint.velocity, place);
      slow_down_.AddVelocity(turn.value, joint.velocity, place);
    }
  }

  TorqueTerms::State StateAt(Index row) const {
    const auto numbers = [row](const SampleView& table) {
      if (table.rows() == 0) return std::span<const double>();
      const Index at = table.rows() == 1 ? 0 : row;
      return std::span(table.data() + at * table.cols(), table.cols());
    };
    return {numbers(trajectory_.q), numbers(trajectory_.v),
            numbers(trajectory_.a), numbers(trajectory_.tip_wrench)};
  }

  /// At a sample whose terms are bounded.
  LoadedTorque Loaded(int j, double tau, double other) const {
    const double change = other - tau;
    const double terms =
        term_bounds_[j] + std::max(std::abs(tau), std::abs(other));
    if (!(std::abs(change) > terms_->precision() * terms)) return {tau, 0};
    const double per_kg = change / (setup_.other_mass - setup_.load_mass);
    const double without =
        setup_.other_mass == 0 ? other : tau - setup_.load_mass * per_kg;
    return {without, per_kg};
  }

  void AddJoint(Index row, int j, double step, Index at) {
    const CheckedJoint& joint = setup_.joints[j];
    const SamplePlace place{row, j};
    JointSample sample;
    sample.q = trajectory_.q(row, j);
    sample.v = trajectory_.v(row, j);
    sample.tau = slab_.tau[at];
    sample.torque_limit = joint.torque.At(sample.v);
    sample.velocity_limit = joint.velocity;
    tallies_[j].Add(row, step, sample);
    FindExcess(LimitKind::kTorque, sample.tau, sample.torque_limit, place);
    FindExcess(LimitKind::kVelocity, sample.v, joint.velocity, place);
    FindPositionViolation(sample.q, joint, place);

    ScaledTorque scaled;
    scaled.still = slab_.still[at];
    scaled.viscous = joint.viscous_friction * sample.v;
    const double coulomb = joint.CoulombFriction(sample.v);
    scaled.moving = sample.tau - scaled.still - scaled.viscous - coulomb;
    const Index cell = row * n_ + j;
    const auto store = [cell](double* table, double number) {
      if (table != nullptr) table[cell] = number;
    };
    store(tables_.tau, sample.tau);
    if (tables_.a != nullptr) tables_.a[cell] = slab_.push[at];
    store(tables_.b, scaled.moving);
    store(tables_.c, scaled.still);
    store(tables_.d, scaled.viscous);
    store(tables_.e, coulomb);
    store(tables_.torque_limit, sample.torque_limit);

    if (joint.coulomb_smoothing > 0) {
      scaled.smooth = joint.coulomb_friction;
      scaled.sharpness = sample.v / joint.coulomb_smoothing;
    } else {
      scaled.still += coulomb;
    }
    slow_down_.AddTorque(scaled, sample.v, joint.torque, place);
    slow_down_.AddVelocity(sample.v, joint.velocity, place);
    if (setup_.reference_load) {
      payload_.Add(Loaded(j, sample.tau, slab_.other_load[at]),
                   sample.torque_limit, place);
    }
  }

  /// For a limit of magnitudes.
  void FindExcess(LimitKind kind, double value, double limit,
                  const SamplePlace& place) {
    if (!(std::abs(value) > limit)) return;
    violations_.Add(kind, place, value, limit, UseOf(value, limit));
  }

  void FindPositionViolation(double q, const CheckedJoint& joint,
                             const SamplePlace& place) {
    const double range = joint.upper - joint.lower;
    const auto position = [&](double excess, double limit) {
      if (!(excess > 0)) return;
      const double share =
          std::isfinite(range) && range > 0 ? excess / range : excess;
      violations_.Add(LimitKind::kPosition, place, q, limit, 1 + share);
    };
    position(joint.lower - q, joint.lower);
    position(q - joint.upper, joint.upper);
  }

  void AddInertia(Index row, Index in_slab) {
    if (!verdict_.path_inertia) verdict_.path_inertia.emplace();
    PathInertia& inertia = *verdict_.path_inertia;
    const double sigma = slab_.sigma_min[in_slab];
    const int m = setup_.task.axis_count;
    // Λ follows the singularity rule in the same rows.
    const bool full = slab_.rank[in_slab] == static_cast<std::uint32_t>(m);
    const double condition =
        full ? ConditionOf(slab_.mobility.data() + in_slab * Index{m} * m,
                           setup_.task)
             : kInfinity;
    if (tables_.sigma_min != nullptr) tables_.sigma_min[row] = sigma;
    if (tables_.condition != nullptr) tables_.condition[row] = condition;
    KeepSmallest(inertia.sigma_min, {row, sigma});
    KeepLargest(inertia.condition, {row, condition});
  }

  const Trajectory trajectory_;
  const TrajectoryTables tables_;
  const CheckSetup setup_;
  const int n_;
  const bool consistent_;
  Engine* engine_ = nullptr;
  CheckThreads threads_ = CheckThreads::kTheCaller;
  std::shared_ptr<CancellationToken> cancellation_;
  Index done_ = 0;
  Slab slab_;  // its memory serves the next
  std::vector<JointTally> tallies_;
  ViolationTracker violations_;
  std::optional<SampleRemarkFinder> remarks_;  // of rates that are given
  std::vector<FineStep> fine_steps_;
  SlowDownSearch slow_down_;
  PayloadSearch payload_;
  std::optional<TorqueTerms> terms_;  // with `payload_`
  std::vector<double> term_bounds_;   // of the sample under way
  TrajectoryVerdict verdict_;
};

}  // namespace

std::variant<std::unique_ptr<TrajectoryCheck>, ArgumentError>
TrajectoryCheck::Create(std::shared_ptr<const Model> model,
                        const Trajectory& trajectory,
                        const TrajectoryOptions& options,
                        const TrajectoryTables& tables) {
  auto made = MakeCheckSetup(std::move(model), options);
  if (auto* error = std::get_if<ArgumentError>(&made)) {
    return std::move(*error);
  }
  auto& setup = std::get<CheckSetup>(made);
  if (auto error = Validate(trajectory, setup)) return *std::move(error);
  return std::make_unique<Run>(trajectory, tables, std::move(setup), options);
}

std::variant<TrajectoryVerdict, ArgumentError> CheckTrajectory(
    Engine& engine, std::shared_ptr<const Model> model,
    const Trajectory& trajectory, const TrajectoryOptions& options,
    const TrajectoryTables& tables) {
  auto created =
      TrajectoryCheck::Create(std::move(model), trajectory, options, tables);
  if (auto* error = std::get_if<ArgumentError>(&created)) {
    return std::move(*error);
  }
  const auto& check = std::get<0>(created);
  while (check->done() < check->total()) {
    if (auto error = check->Advance(engine, CheckThreads::kAllOfTheEngine)) {
      return *std::move(error);
    }
  }
  return check->Finish();
}

}  // namespace torqued
