#include "core/trajectory/trajectory_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <utility>

#include "core/base/text.h"
#include "core/engine/evaluation_plan.h"
#include "core/trajectory/check_options.h"
#include "core/trajectory/verdict.h"

namespace torqued {
namespace {

using Index = std::int64_t;

/// Samples that are computed at a time, and these times joints: what they take
/// stays small, and a check can be cancelled.
constexpr Index kSlab = 8192;
constexpr Index kSlabNumbers = 8 * kSlab;
/// Estimated upper bound of a slab's time if the caller computes alone, even if
/// all samples are singular: others wait for its thread.
constexpr double kSlabNanoseconds = 20e6;

/// Results of a slab, one row a sample.
using Table = std::vector<double>;

/// λ_max / λ_min of a task's scaled W, whose inverse has the same.
double ConditionOf(const double* W, const BlockSetup& task) {
  const int m = task.task_rows;
  const Eigen::Map<const Eigen::VectorXd> scale(task.row_scale, m);
  const Eigen::MatrixXd scaled =  // W is symmetric
      scale.asDiagonal() * Eigen::Map<const Eigen::MatrixXd>(W, m, m) *
      scale.asDiagonal();
  if (!scaled.allFinite()) return kInfinity;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      scaled, Eigen::EigenvaluesOnly);
  const double low = solver.eigenvalues()[0],
               high = solver.eigenvalues()[m - 1];
  // Below that rounding alone decides.
  const double least = m * std::numeric_limits<double>::epsilon() * high;
  return low > least ? high / low : kInfinity;
}

/// How large a step is beside the largest from which it can be told what
/// happens within it. `between`: velocities are judged between samples, too.
double ShareOfLargest(const CoarseStep& step, const CheckedJoint& joint,
                      bool between) {
  constexpr double kRotation = 0.25, kShareOfLimit = 0.1;
  double position = kInfinity, velocity = kInfinity;
  if (joint.type != JointType::kPrismatic) {
    // In rad. A torque that swings with the angle is then missed by at most
    // 1 - cos(0.125), 0.8 %, of its swing between two samples.
    position = kRotation;
  } else if (joint.upper > joint.lower) {
    position = kShareOfLimit * (joint.upper - joint.lower);
  }
  if (!between && joint.velocity > 0) {
    // One that turns between two samples exceeds both by a quarter of that, as
    // far as the acceleration of its neighbours goes.
    velocity = kShareOfLimit * joint.velocity;
  }
  return std::max(std::abs(step.position_change) / position,
                  std::abs(step.velocity_change) / velocity);
}

class CheckRun final : public TrajectoryCheck {
 public:
  /// Throws ArgumentError.
  CheckRun(std::shared_ptr<const Model> model, const Trajectory& trajectory,
           const TrajectoryOptions& options, const TrajectoryTables& tables)
      : trajectory_(trajectory),
        tables_(tables),
        setup_(MakeCheckSetup(std::move(model), options)),
        n_(static_cast<int>(setup_.joints.size())),
        options_(options),
        tallies_(setup_.joints.size()),
        violations_(n_, trajectory.time, options.merge_gap) {
    CheckSamples(trajectory, setup_);
    if (!trajectory.spline) {
      std::vector<bool> turns(n_);
      for (int j = 0; j < n_; ++j) {
        turns[j] = setup_.joints[j].type == JointType::kContinuous;
      }
      remarks_.emplace(trajectory_, std::move(turns));
    }
    if (setup_.reference_payload) terms_.emplace(setup_);
  }

  const EvaluationPlan& plan() const override { return setup_.torques; }
  Index done() const override { return done_; }
  Index total() const override {
    return static_cast<Index>(trajectory_.time.size());
  }

  std::int64_t step_bytes() const override {
    const int tables =
        2 + (setup_.reference_payload ? 1 : 0) + (tables_.a != nullptr ? 1 : 0);
    Index of_a_sample = Index{tables} * n_;
    if (setup_.space) {
      const Index m = options_.evaluation.task.axis_count;
      of_a_sample += m * m + 2;  // mobility; σ_min and rank
    }
    return std::min(MostOfASlab(), total()) * of_a_sample *
           static_cast<Index>(sizeof(double));
  }

  std::optional<ArgumentError> Advance(Engine& engine,
                                       const JobOptions& job) override try {
    Index most = MostOfASlab();
    if (job.max_threads == 1) {
      // An estimate; a singular task is computed one state at a time.
      constexpr double kSingularTask = 5000;
      double sample = 4 * setup_.torques.checked().cost;
      if (setup_.space) sample += setup_.space->checked().cost + kSingularTask;
      most = std::clamp<Index>(
          static_cast<Index>(kSlabNanoseconds / std::max(sample, 1.0)), 1,
          most);
    }
    if (remarks_ && !remarks_->ready()) {
      remarks_->Prepare(most);
      return std::nullopt;
    }
    const Index first = done_, count = std::min(most, total() - first);
    Compute(first, count, engine, job);
    // A cancelled plan leaves its results undefined.
    if (job.cancellation != nullptr && job.cancellation->cancelled()) {
      return std::nullopt;
    }
    for (Index k = 0; k < count; ++k) AddSample(first + k, k);
    done_ += count;
    return std::nullopt;
  } catch (ArgumentError& error) {
    return std::move(error);
  }

  TrajectoryVerdict Finish() override {
    verdict_.duration = trajectory_.time.back() - trajectory_.time.front();
    for (const JointTally& tally : tallies_) {
      const JointDemand& demand =
          verdict_.joints.emplace_back(tally.Finish(verdict_.duration));
      verdict_.energy_given += demand.energy_given;
      verdict_.energy_taken += demand.energy_taken;
    }
    verdict_.limits.assign(setup_.joints.begin(), setup_.joints.end());
    verdict_.violations = violations_.Finish();
    verdict_.remarks.counts.resize(tallies_.size());
    if (remarks_) {
      verdict_.inconsistent = remarks_->Inconsistent();
      verdict_.remarks = remarks_->Finish();
    }
    verdict_.passes =
        verdict_.violations.count == 0 &&
        (options_.allow_inconsistent || verdict_.inconsistent.empty()) &&
        !(options_.consistent && verdict_.remarks.count > 0);
    verdict_.payload_looked_at = setup_.reference_payload.has_value();
    if (verdict_.payload_looked_at && payload_.least <= payload_.most) {
      verdict_.payload = payload_;
    }
    verdict_.slow_down = slow_down_.Find();
    return std::move(verdict_);
  }

 private:
  struct Slab {
    Table tau, static_torques, reference_payload, inertial, sigma_min, mobility;
    std::vector<std::uint32_t> rank;
  };

  Index MostOfASlab() const {
    return std::clamp<Index>(kSlabNumbers / std::max(n_, 1), 1, kSlab);
  }

  [[noreturn]] static void RefuseOverflow(Index row,
                                          const std::string& sentence,
                                          const std::string& joint = {}) {
    throw ArgumentError{ArgumentError::Code::kInvalidSample, "samples",
                        Cat("Sample ", row, ": ", sentence), row, joint};
  }

  /// Fills the slab with some samples.
  void Compute(Index first, Index count, Engine& engine,
               const JobOptions& job) {
    const auto rows = [=](const SampleView& table) {
      const bool one = table.rows == 1;
      return InputArray{table.data + (one ? 0 : first * table.columns),
                        NumberType::kF64, one ? 1 : count,
                        static_cast<int>(table.columns)};
    };
    EvaluationInputs motion, still, inertial;
    motion.q = still.q = inertial.q = rows(trajectory_.q);
    motion.v = inertial.a = rows(trajectory_.v);
    motion.a = rows(trajectory_.a);
    if (trajectory_.tip_wrench.rows > 0) {
      motion.tip_wrench = still.tip_wrench = rows(trajectory_.tip_wrench);
    }
    const auto evaluate = [&](EvaluationPlan plan,
                              const EvaluationInputs& inputs,
                              const EvaluationOutputs& outputs) {
      if (auto error = plan.Rebind(inputs)) throw *std::move(error);
      EvaluationReport report = engine.Evaluate(plan, outputs, job);
      if (report.failed) throw std::bad_alloc();
      return std::move(report.issues);
    };
    const auto torques = [&](const EvaluationPlan& plan,
                             const EvaluationInputs& inputs, Table& table) {
      table.resize(count * n_);
      EvaluationOutputs outputs;
      outputs[Output::kTau] = {table.data(), NumberType::kF64};
      const auto issues = evaluate(plan, inputs, outputs);
      if (issues.empty()) return;
      RefuseOverflow(first + issues.front().row, "the torques overflow.");
    };
    torques(setup_.torques, motion, slab_.tau);
    torques(setup_.static_plan, still, slab_.static_torques);
    if (setup_.reference_payload) {
      torques(*setup_.reference_payload, motion, slab_.reference_payload);
    }
    if (tables_.a != nullptr) {
      torques(setup_.inertial_plan, inertial, slab_.inertial);
    }
    if (!setup_.space) return;
    slab_.sigma_min.resize(count);
    slab_.rank.resize(count);
    slab_.mobility.resize(count * setup_.space->columns(Output::kMobility));
    EvaluationOutputs outputs;
    outputs[Output::kMobility] = {slab_.mobility.data(), NumberType::kF64};
    outputs.sigma_min = slab_.sigma_min.data();
    outputs.rank = slab_.rank.data();
    // A task without full rank, or without a mass, is what is looked for.
    evaluate(*setup_.space, {.q = motion.q}, outputs);
  }

  void AddSample(Index row, Index in_slab) {
    if (row > 0) AddStep(row - 1);
    if (terms_) term_bounds_ = terms_->At(trajectory_, row);
    const double step =
        row == 0 ? 0 : trajectory_.time[row] - trajectory_.time[row - 1];
    double power = 0;
    for (int j = 0; j < n_; ++j) {
      const Index at = in_slab * n_ + j;
      AddJoint(row, j, step, at);
      power += slab_.tau[at] * trajectory_.v(row, j);
    }
    if (!std::isfinite(power)) RefuseOverflow(row, "a power overflows.");
    for (int j = 0; j < n_; ++j) {
      if (!tallies_[j].overflows()) continue;
      const auto& name = setup_.joints[j].name;
      RefuseOverflow(
          row,
          Cat("the energy of joint ", name, " or its mean square overflows."),
          name);
    }
    KeepLargest(verdict_.highest_power, {row, power});
    KeepSmallest(verdict_.lowest_power, {row, power});
    if (setup_.space) AddInertia(row, in_slab);
  }

  /// The step from a row to the next one.
  void AddStep(Index row) {
    const double step = trajectory_.time[row + 1] - trajectory_.time[row];
    if (remarks_) remarks_->AddStep(row);
    for (int j = 0; j < n_; ++j) {
      const auto change = [row, j](const SampleView& table) {
        return table(row + 1, j) - table(row, j);
      };
      CoarseStep coarse{.row = row,
                        .joint = j,
                        .duration = step,
                        .position_change = change(trajectory_.q),
                        .velocity_change = change(trajectory_.v)};
      if (setup_.joints[j].type == JointType::kContinuous) {
        coarse.position_change =
            std::remainder(coarse.position_change, 2 * std::numbers::pi);
      }
      coarse.share = ShareOfLargest(coarse, setup_.joints[j],
                                    trajectory_.spline.has_value());
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
    const ExtremaBetween extrema =
        FindExtremaBetween(*trajectory_.spline, step, node(row), node(row + 1));
    for (const SplineExtremum& turn : extrema.positions) {
      AddPosition(turn.value, {row, j, turn.after});
    }
    for (const SplineExtremum& turn : extrema.velocities) {
      AddVelocity(turn.value, {row, j, turn.after});
    }
  }

  /// At a sample whose terms are bounded.
  LoadedTorque Loaded(int j, double tau, double other) const {
    const double change = other - tau;
    const bool slides = setup_.joints[j].type == JointType::kPrismatic;
    const double terms = (slides ? term_bounds_.force : term_bounds_.moment) +
                         std::max(std::abs(tau), std::abs(other));
    if (!(std::abs(change) > terms_->precision() * terms)) return {tau, 0};
    const double per_kg = change / (setup_.other_mass - setup_.load_mass);
    const double without =
        setup_.other_mass == 0 ? other : tau - setup_.load_mass * per_kg;
    return {without, per_kg};
  }

  void AddJoint(Index row, int j, double step, Index at) {
    const CheckedJoint& joint = setup_.joints[j];
    const SamplePlace place{row, j};
    const double v = trajectory_.v(row, j), tau = slab_.tau[at];
    const double limit = joint.torque.At(v);
    tallies_[j].Add(row, step, v, tau, limit);
    FindExcess(LimitKind::kTorque, tau, limit, place);

    ScaledTorque scaled;
    scaled.still = slab_.static_torques[at];
    scaled.viscous = joint.viscous_friction * v;
    const double epsilon = options_.evaluation.terms.coulomb_smoothing;
    double coulomb = 0;
    if (joint.coulomb_friction != 0 && v != 0) {
      coulomb = epsilon > 0 ? joint.coulomb_friction * std::tanh(v / epsilon)
                            : std::copysign(joint.coulomb_friction, v);
    }
    scaled.moving = tau - scaled.still - scaled.viscous - coulomb;
    const Index cell = row * n_ + j;
    const auto store = [cell](double* table, double number) {
      if (table != nullptr) table[cell] = number;
    };
    store(tables_.tau, tau);
    if (tables_.a != nullptr) tables_.a[cell] = slab_.inertial[at];
    store(tables_.b, scaled.moving);
    store(tables_.c, scaled.still);
    store(tables_.d, scaled.viscous);
    store(tables_.e, coulomb);
    store(tables_.torque_limit, limit);

    if (epsilon > 0) {
      scaled.smooth = joint.coulomb_friction;
      scaled.sharpness = v / epsilon;
    } else {
      scaled.still += coulomb;
    }
    slow_down_.AddTorque(scaled, v, joint.torque, place);
    AddVelocity(v, place);
    AddPosition(trajectory_.q(row, j), place);
    if (setup_.reference_payload) {
      Restrict(payload_, Loaded(j, tau, slab_.reference_payload[at]), limit,
               place);
    }
  }

  /// For a limit of magnitudes.
  void FindExcess(LimitKind kind, double value, double limit,
                  const SamplePlace& place) {
    if (!(std::abs(value) > limit)) return;
    violations_.Add(kind, place, value, limit, UseOf(value, limit));
  }

  /// At a sample or between two.
  void AddVelocity(double v, const SamplePlace& place) {
    const double limit = setup_.joints[place.joint].velocity;
    tallies_[place.joint].AddVelocity({place.row, v, place.after}, limit);
    FindExcess(LimitKind::kVelocity, v, limit, place);
    slow_down_.AddVelocity(v, limit, place);
  }
  void AddPosition(double q, const SamplePlace& place) {
    const CheckedJoint& joint = setup_.joints[place.joint];
    tallies_[place.joint].AddPosition({place.row, q, place.after});
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
    const BlockSetup& task = setup_.space->checked().setup;
    const Index m = task.task_rows;
    // Λ follows the singularity rule in the same rows.
    const bool full = slab_.rank[in_slab] == static_cast<std::uint32_t>(m);
    const double condition =
        full ? ConditionOf(slab_.mobility.data() + in_slab * m * m, task)
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
  const TrajectoryOptions options_;
  Index done_ = 0;
  Slab slab_;  // its memory serves the next
  std::vector<JointTally> tallies_;
  ViolationTracker violations_;
  std::optional<SampleRemarkFinder> remarks_;  // of rates that are given
  SlowDownSearch slow_down_;
  PayloadRange payload_;
  std::optional<TorqueTerms> terms_;  // with `payload_`
  TorqueTerms::Bounds term_bounds_;   // of the sample under way
  TrajectoryVerdict verdict_;
};

}  // namespace

std::variant<std::unique_ptr<TrajectoryCheck>, ArgumentError>
TrajectoryCheck::Create(std::shared_ptr<const Model> model,
                        const Trajectory& trajectory,
                        const TrajectoryOptions& options,
                        const TrajectoryTables& tables) try {
  return std::make_unique<CheckRun>(std::move(model), trajectory, options,
                                    tables);
} catch (ArgumentError& error) {
  return std::move(error);
}

std::variant<TrajectoryVerdict, ArgumentError> CheckTrajectory(
    Engine& engine, std::shared_ptr<const Model> model,
    const Trajectory& trajectory, const TrajectoryOptions& options,
    const TrajectoryTables& tables) try {
  CheckRun check(std::move(model), trajectory, options, tables);
  while (check.done() < check.total()) {
    if (auto error = check.Advance(engine, {})) return *std::move(error);
  }
  return check.Finish();
} catch (ArgumentError& error) {
  return std::move(error);
}

}  // namespace torqued
