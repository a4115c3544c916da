#include "tests/core/lanes/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <variant>

#include "core/dynamics/aba.h"
#include "core/dynamics/crba.h"
#include "core/dynamics/jacobian.h"
#include "core/dynamics/kinematics.h"
#include "core/dynamics/ldlt.h"
#include "core/dynamics/pivot_rule.h"
#include "core/dynamics/quantities-inl.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/task_mobility.h"
#include "core/dynamics/task_projection.h"
#include "core/dynamics/task_torque.h"

namespace torqued::testing_support {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ReferenceRows {
 public:
  /// `limit`: beyond it results are too large for their array.
  ReferenceRows(const EvaluationPlan& plan, std::int64_t rows, double limit)
      : plan_(plan),
        limit_(limit),
        options_(plan.options()),
        tree_(plan.model().tree()),
        n_(tree_.n),
        workspace_(n_),
        s_(workspace_.scratch()) {
    Carver counter(nullptr);
    CarveQuantityScratch(kGeneralQuantities, static_cast<unsigned long>(n_),
                         counter, further_);
    memory_.resize(counter.used() + 64);
    void* start = memory_.data();
    std::size_t space = memory_.size();
    Carver carver(std::align(64, counter.used(), start, space));
    CarveQuantityScratch(kGeneralQuantities, static_cast<unsigned long>(n_),
                         carver, further_);
    pivots_.Reserve(n_);
    if (plan.tip_frame()) {
      tip_ = &plan.model()
                  .frames()[static_cast<std::size_t>(*plan.tip_frame())]
                  .placement;
    }
    const auto count = static_cast<std::size_t>(rows);
    result_.rank.resize(count);
    result_.sigma_min.resize(count, kNaN);
    result_.rule.resize(count, TaskRule::kUndefined);
    result_.doubts.resize(count);
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan.Produces(output)) continue;
      result_.tables[output].resize(
          count * static_cast<std::size_t>(plan.columns(output)), kNaN);
    }
  }

  void Evaluate(std::int64_t row) {
    row_ = row;
    issue_.reset();
    for (int k = 0; k < kInputCount; ++k) {
      if (!Load(static_cast<Input>(k))) {
        result_.issues.push_back(*issue_);
        return;
      }
    }
    ComputePlacements(tree_, Of(Input::kQ), s_);
    mass_ = JudgePivots(tree_, PivotScales(tree_), Of(Input::kQ), s_, pivots_);
    ComputeWorldPlacements(tree_, s_);
    for (int k = 0; k < kQuantityCount; ++k) {
      quantity_ = static_cast<Quantity>(k);
      if (options_.quantities.Has(quantity_)) EvaluateQuantity();
    }
    if (issue_) result_.issues.push_back(*issue_);
  }

  BatchResult& result() { return result_; }

 private:
  bool Is(Quantity quantity) const { return quantity_ == quantity; }
  bool IsOfTheTask() const { return (kTaskQuantities & Bit(quantity_)) != 0; }

  /// Null if it is absent or the quantity does not read it.
  const double* Of(Input input) const {
    const bool read =
        input == Input::kQ || (RowOf(quantity_).reads & Bit(input)) != 0;
    return read && plan_.inputs()[input].present()
               ? inputs_[static_cast<std::size_t>(input)].data()
               : nullptr;
  }

  void Report(RowIssue issue) {
    issue.row = row_;
    if (!issue_ || issue.code < issue_->code) issue_ = issue;
  }

  bool Load(Input input) {
    const InputArray& array = plan_.inputs()[input];
    if (!array.present()) return true;
    const std::vector<int>& places = plan_.input_permutation(input);
    std::vector<double>& values = inputs_[static_cast<std::size_t>(input)];
    values.resize(static_cast<std::size_t>(array.columns));
    const std::int64_t row = array.rows == 1 ? 0 : row_;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::int64_t at =
          row * array.columns + static_cast<std::int64_t>(k);
      const double value =
          array.type == NumberType::kF64
              ? static_cast<const double*>(array.data)[at]
              : static_cast<double>(static_cast<const float*>(array.data)[at]);
      if (!std::isfinite(value)) {
        RowIssue issue;
        issue.input = input;
        issue.column = static_cast<int>(k);
        issue.value = value;
        Report(issue);
        return false;
      }
      values[places.empty() ? k : static_cast<std::size_t>(places[k])] = value;
    }
    return true;
  }

  /// `values` in canonical order.
  void Store(Output output, const double* values) {
    if (QuantityOf(output) != quantity_) return;
    const LaneShape& shape = plan_.shape(output);
    double* to = result_.tables.at(output).data() + row_ * shape.columns;
    for (int k = 0; k < shape.columns; ++k) {
      to[k] = values[shape.permutation != nullptr ? shape.permutation[k] : k];
      if (!(std::abs(to[k]) < limit_)) {
        RowIssue issue;
        issue.code = RowCode::kNotFiniteResult;
        issue.output = output;
        Report(issue);
        std::fill_n(to, shape.columns, kNaN);
        return;
      }
    }
  }

  void StoreSymmetric(Output output, int size, const double* matrix) {
    std::vector<double> packed;
    for (int i = 0; i < size; ++i) {
      packed.insert(packed.end(), matrix + i * size, matrix + i * size + i + 1);
    }
    Store(output, packed.data());
  }

  void ReportSingularMass() {
    RowIssue issue;
    issue.code = RowCode::kSingularMassMatrix;
    issue.column = mass_.joint;
    issue.value = mass_.pivot;
    int output = 0;
    while (QuantityOf(static_cast<Output>(output)) != quantity_) ++output;
    issue.output = static_cast<Output>(output);
    Report(issue);
  }

  void LoadTerms() {
    const auto twist = [](const double* x) {
      if (x == nullptr) return Twist<double>::Zero();
      return Twist<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    };
    terms_ = {};
    terms_.viscous_friction = options_.terms.viscous_friction;
    terms_.coulomb_friction = options_.terms.coulomb_friction;
    terms_.coulomb_smoothing = options_.terms.coulomb_smoothing;
    const double* const V = Of(Input::kBaseTwist);
    const double* const A = Of(Input::kBaseAcceleration);
    const double* const g = Of(Input::kGravity);
    motion_ = {twist(V), twist(A)};
    if (g != nullptr) {
      motion_.g = Vec3<double>::Constant(g);
    } else {
      std::copy_n(options_.terms.gravity->begin(), 3, terms_.gravity);
    }
    base_ = V != nullptr || A != nullptr || g != nullptr ? &motion_ : nullptr;
    wrenches_ = {};
    if (const double* F = Of(Input::kTipWrench); F && tip_->body != kBase) {
      tip_wrench_ = {*tip_, options_.wrench_frame};
      wrenches_.on_environment = {&tip_wrench_, 1, F};
    }
    if (const double* const W = Of(Input::kExternalWrenches)) {
      const std::vector<WrenchPlace>& places = plan_.wrench_places();
      wrenches_.on_robot = {places.data(), static_cast<int>(places.size()), W};
    }
    terms_.external_wrenches = wrenches_.any();
    if (wrenches_.any()) ApplyWrenches(tree_, wrenches_, s_);
  }

  void EvaluateQuantity() {
    LoadTerms();
    const bool solves = (kSolvesMassMatrix & Bit(quantity_)) != 0;
    if (solves && !mass_.regular()) ReportSingularMass();
    if (IsOfTheTask()) return EvaluateTask();
    if (solves && !mass_.regular()) return;
    std::vector<double> result(static_cast<std::size_t>(std::max(n_, 12)));
    double* const x = result.data();
    const double *const v = Of(Input::kV), *const a = Of(Input::kA);
    const ReferenceFrame reference = options_.reference_frame;
    const bool forward = Is(Quantity::kForwardDynamics) ||
                         Is(Quantity::kForwardFrameAcceleration) ||
                         Is(Quantity::kForwardDynamicsDerivatives);
    if (forward) {
      ForwardDynamics(tree_, terms_, v, Of(Input::kTau), s_, x, base_);
    }
    if ((kGeneralQuantities & Bit(quantity_)) != 0) {
      const QuantityInputs<double> in = {tree_, terms_,    tip_,  reference, v,
                                         a,     wrenches_, base_, x};
      ComputeQuantities(Bit(quantity_), in, s_, further_,
                        [this](Output output, const double* values, int) {
                          Store(output, values);
                        });
      return;
    }
    switch (quantity_) {
      case Quantity::kInverseDynamics:
        InverseDynamics(tree_, terms_, v, a, s_, x, base_);
        return Store(Output::kTau, x);
      case Quantity::kMassMatrix:
        MassMatrix(tree_, s_, s_.M);
        return StoreSymmetric(Output::kMassMatrix, n_, s_.M);
      case Quantity::kForwardDynamics:
        return Store(Output::kAcceleration, x);
      case Quantity::kBiasForces:
        BiasForces(x);
        return Store(Output::kBias, x);
      case Quantity::kFramePose: {
        const Transform<double> T = FramePlacement(tree_, *tip_, s_);
        const double pose[12] = {T.R.c0.x, T.R.c1.x, T.R.c2.x, T.p.x,
                                 T.R.c0.y, T.R.c1.y, T.R.c2.y, T.p.y,
                                 T.R.c0.z, T.R.c1.z, T.R.c2.z, T.p.z};
        return Store(Output::kPose, pose);
      }
      case Quantity::kJacobian:
        FrameJacobian(tree_, *tip_, reference, s_, s_.J);
        return Store(Output::kJacobian, s_.J);
      case Quantity::kJacobianDrift: {
        double drift[6];
        Drift(drift);
        return Store(Output::kJacobianDrift, drift);
      }
      default: {
        double acceleration[6];
        Drift(acceleration);
        FrameJacobian(tree_, *tip_, reference, s_, s_.J);
        for (int k = 0; k < 6; ++k) {
          for (int j = 0; j < n_; ++j) {
            acceleration[k] += s_.J[k * n_ + j] * x[j];
          }
        }
        return Store(Output::kForwardFrameAcceleration, acceleration);
      }
    }
  }

  /// Without wrenches.
  void BiasForces(double* h) {
    DynamicsTerms terms = terms_;
    terms.external_wrenches = false;
    InverseDynamics(tree_, terms, Of(Input::kV),
                    static_cast<const double*>(nullptr), s_, h, base_);
  }

  void Drift(double* drift) {
    std::fill_n(drift, 6, 0.0);
    if (Of(Input::kV) == nullptr && base_ == nullptr) return;
    FrameDrift(tree_, *tip_, options_.reference_frame, Of(Input::kV), s_, drift,
               base_);
  }

  void EvaluateTask() {
    const TaskOptions& task = options_.task;
    const int m = task.axis_count;
    double whole_drift[6], drift[6], W[36], r[6], lambda[36], eta[6];
    Drift(whole_drift);
    FrameJacobian(tree_, *tip_, options_.reference_frame, s_, s_.J);
    int joints = 0;
    for (int i = tip_->body; i != kBase; i = tree_.bodies[i].parent) ++joints;
    const TaskRank rank = RankOfTask(task, n_, joints, s_.J);
    std::vector<double> J;
    for (int i = 0; i < m; ++i) {
      const int axis = task.axes[static_cast<std::size_t>(i)];
      drift[i] = whole_drift[axis];
      J.insert(J.end(), s_.J + axis * n_, s_.J + (axis + 1) * n_);
    }
    const bool regular = mass_.regular();
    if (regular) {
      BiasForces(s_.h);
      MassMatrix(tree_, s_, s_.M);
      FactorLdlt(n_, s_.M);
      TaskMobility(m, n_, J.data(), s_.M, s_.h, drift, s_.Y, W, r);
    }
    const TaskDiagnostics diagnostics =
        SolveTask(task, rank, regular ? W : nullptr, r, lambda, eta);
    if (Is(Quantity::kOperationalSpace)) {
      const auto row = static_cast<std::size_t>(row_);
      result_.rank[row] = static_cast<std::uint32_t>(diagnostics.rank);
      result_.sigma_min[row] = diagnostics.sigma_min;
      result_.rule[row] = diagnostics.rule;
    }
    if (!regular) return;
    if (diagnostics.rule != TaskRule::kFullRank) {
      RowIssue issue;
      issue.code = RowCode::kSingularTaskSpace;
      issue.output = Is(Quantity::kOperationalSpace) ? Output::kLambda
                     : Is(Quantity::kTaskProjection) ? Output::kMobility
                                                     : Output::kTaskTorque;
      issue.value = diagnostics.sigma_min;
      issue.rank = diagnostics.rank;
      Report(issue);
    }
    std::vector<double> result(static_cast<std::size_t>(n_ * std::max(n_, m)));
    if (Is(Quantity::kOperationalSpace)) {
      StoreSymmetric(Output::kLambda, m, lambda);
      Store(Output::kEta, eta);
    } else if (Is(Quantity::kTaskProjection)) {
      StoreSymmetric(Output::kMobility, m, W);
      std::vector<double> J_bar(static_cast<std::size_t>(n_ * m));
      DynamicallyConsistentInverse(m, n_, J.data(), s_.M, lambda, s_.u,
                                   J_bar.data());
      Store(Output::kConsistentInverse, J_bar.data());
      NullSpaceProjector(m, n_, J.data(), J_bar.data(), result.data());
      Store(Output::kNullSpaceProjector, result.data());
    } else {
      InverseDynamics(tree_, terms_, Of(Input::kV),
                      static_cast<const double*>(nullptr), s_, s_.h, base_);
      TaskTorque(m, n_, J.data(), s_.M, lambda, s_.h, drift,
                 Of(Input::kTaskAcceleration), Of(Input::kNullSpaceTorque),
                 s_.u, result.data());
      Store(Output::kTaskTorque, result.data());
    }
  }

  const EvaluationPlan& plan_;
  const double limit_;
  const EvaluationOptions& options_;
  const Tree tree_;
  const int n_;
  Workspace<double> workspace_;
  Scratch<double>& s_;
  QuantityScratch<double> further_{};
  std::vector<std::byte> memory_;
  PivotScratch pivots_;
  std::array<std::vector<double>, kInputCount> inputs_;
  const BodyFrame* tip_ = nullptr;
  BatchResult result_;
  // Of the row and the quantity under way.
  std::int64_t row_ = 0;
  Quantity quantity_ = Quantity::kInverseDynamics;
  std::optional<RowIssue> issue_;
  PivotVerdict mass_;
  DynamicsTerms terms_{};
  BaseMotion<double> motion_{};
  const BaseMotion<double>* base_ = nullptr;
  WrenchPlace tip_wrench_{};
  AppliedWrenches<double> wrenches_;
};

}  // namespace

BatchResult Reference(const BatchCase& batch) {
  auto created =
      EvaluationPlan::Create(batch.model, batch.options, batch.Inputs());
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    ADD_FAILURE() << error->field << ": " << error->message;
    return {};
  }
  constexpr double kSingleLimit = 3.4028235677973366e38;
  ReferenceRows reference(std::get<EvaluationPlan>(created), batch.rows,
                          batch.output_type == NumberType::kF32
                              ? kSingleLimit
                              : std::numeric_limits<double>::infinity());
  for (std::int64_t row = 0; row < batch.rows; ++row) reference.Evaluate(row);
  return std::move(reference.result());
}

}  // namespace torqued::testing_support
