// The dynamics of one state at a time, with Eigen vectors.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "torqued/core/engine/evaluation.h"

namespace torqued {

/// A model with the memory to evaluate single states. Not thread-safe: one per
/// thread; they may share the model. Computes what a batch with this state
/// computes, bit by bit. Allocates only for the results.
///
/// Vectors have nq (q) or nv numbers (the rest) in canonical joint order.
/// Spatial vectors are (angular; linear). Units are SI. A call with a vector of
/// the wrong size, a frame that does not exist or a number that is not finite
/// returns NaN everywhere and says why in last_error().
///
/// Only numbers cross to the compiled library, whatever instruction set and
/// alignment Eigen is compiled for here.
class Robot {
 public:
  struct Options {
    Terms terms;
    /// Frame name; empty: the model's tip frame.
    std::string tip_frame;
    /// Axes of Jacobian, drift, Λ and η, and of the tip wrench.
    ReferenceFrame reference_frame = ReferenceFrame::kLocal;
    TaskOptions task;
    /// Whether OperationalSpace finds σ_min, which takes a singular value
    /// decomposition; else it is NaN.
    bool sigma_min = false;
    /// Null: the widest that this machine can run.
    const SimdKernels* target = nullptr;
  };

  struct OperationalSpaceResult {
    Eigen::MatrixXd lambda;  // m x m
    Eigen::VectorXd eta;     // m
    TaskDiagnostics diagnostics;
  };

  using Vector = const Eigen::Ref<const Eigen::VectorXd>&;

  explicit Robot(std::shared_ptr<const Model> model);
  Robot(std::shared_ptr<const Model> model, Options options);
  ~Robot();
  Robot(Robot&&) noexcept;
  Robot& operator=(Robot&&) noexcept;

  const Model& model() const { return *model_; }
  const Options& options() const { return options_; }

  /// τ = M a + c + g (+ friction).
  Eigen::VectorXd InverseDynamics(Vector q, Vector v, Vector a) {
    return OfJoints(Output::kTau, {.q = Row(q), .v = Row(v), .a = Row(a)});
  }
  /// The same + Jᵀ F, F = (moment; force) that the tip exerts on the
  /// environment.
  Eigen::VectorXd InverseDynamics(Vector q, Vector v, Vector a, Vector F) {
    return OfJoints(
        Output::kTau,
        {.q = Row(q), .v = Row(v), .a = Row(a), .tip_wrench = Row(F)});
  }
  /// M, full and symmetric.
  Eigen::MatrixXd MassMatrix(Vector q) {
    return Compute(Output::kMassMatrix,
                   Eigen::MatrixXd(model_->nv(), model_->nv()), {.q = Row(q)});
  }
  /// a with M a + c + g (+ friction) = τ.
  Eigen::VectorXd ForwardDynamics(Vector q, Vector v, Vector tau) {
    return OfJoints(Output::kAcceleration,
                    {.q = Row(q), .v = Row(v), .tau = Row(tau)});
  }
  /// The same with τ − Jᵀ F in place of τ.
  Eigen::VectorXd ForwardDynamics(Vector q, Vector v, Vector tau, Vector F) {
    return OfJoints(
        Output::kAcceleration,
        {.q = Row(q), .v = Row(v), .tau = Row(tau), .tip_wrench = Row(F)});
  }
  /// h = c + g (+ friction).
  Eigen::VectorXd BiasForces(Vector q, Vector v) {
    return OfJoints(Output::kBias, {.q = Row(q), .v = Row(v)});
  }
  /// T_0,tip, 4 x 4.
  Eigen::Matrix4d FramePose(Vector q) {
    Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
    pose.topRows<3>() =
        Compute(Output::kPose, Eigen::Matrix<double, 3, 4, Eigen::RowMajor>(),
                {.q = Row(q)});
    return pose;
  }
  using Matrix6 = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
  /// 6 x nv.
  Matrix6 Jacobian(Vector q) {
    return Compute(Output::kJacobian, Matrix6(6, model_->nv()), {.q = Row(q)});
  }
  /// J̇ v, 6 numbers.
  Eigen::VectorXd JacobianDrift(Vector q, Vector v) {
    return Compute(Output::kJacobianDrift, Eigen::VectorXd(6),
                   {.q = Row(q), .v = Row(v)});
  }
  OperationalSpaceResult OperationalSpace(Vector q, Vector v) {
    const int m = options_.task.axis_count;
    OperationalSpaceResult result{
        Eigen::MatrixXd(m, m),
        Eigen::VectorXd(m),
        {.rule = TaskRule::kFullRank, .sigma_min = kNaN}};
    auto rank = static_cast<std::uint32_t>(m);
    Tables tables{{result.lambda.data(), result.eta.data()},
                  &rank,
                  &result.diagnostics.rule};
    if (options_.sigma_min) tables.sigma_min = &result.diagnostics.sigma_min;
    if (!Evaluate(Quantity::kOperationalSpace, {.q = Row(q), .v = Row(v)},
                  tables)) {
      result.lambda.setConstant(kNaN);
      result.eta.setConstant(kNaN);
      rank = 0;
      result.diagnostics.rule = TaskRule::kUndefined;
    }
    result.diagnostics.rank = static_cast<int>(rank);
    return result;
  }

  /// Empty when the last call went well (a singular task is reported here too,
  /// with the numbers its rule gives).
  const std::string& last_error() const { return last_error_; }

 private:
  struct Prepared;
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  /// An empty vector is a row of no columns, not an absent input.
  static InputArray Row(Vector vector) {
    return {vector.data(), NumberType::kF64, 1,
            static_cast<int>(vector.size())};
  }
  /// `result`, one row of the one output of a quantity.
  template <class Result>
  Result Compute(Output output, Result result, const EvaluationInputs& inputs) {
    if (!Evaluate(QuantityOf(output), inputs, {{result.data(), nullptr}})) {
      result.setConstant(kNaN);
    }
    return result;
  }
  Eigen::VectorXd OfJoints(Output output, const EvaluationInputs& inputs) {
    return Compute(output, Eigen::VectorXd(model_->nv()), inputs);
  }
  /// Memory for the outputs in their order, and for rank and rule unless they
  /// are full.
  struct Tables {
    double* outputs[2];
    std::uint32_t* rank = nullptr;
    TaskRule* rule = nullptr;
    double* sigma_min = nullptr;
  };
  /// False if the arguments or options do not suit.
  bool Evaluate(Quantity quantity, const EvaluationInputs& inputs,
                const Tables& tables);

  std::shared_ptr<const Model> model_;
  Options options_;
  /// Made at the first call for each quantity.
  std::array<std::unique_ptr<Prepared>, kQuantityCount> prepared_;
  std::string last_error_;
};

}  // namespace torqued
