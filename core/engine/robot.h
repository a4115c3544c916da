// The dynamics of one state at a time, with Eigen vectors.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "core/engine/evaluate_rows.h"
#include "core/engine/evaluation.h"
#include "core/model/model.h"

namespace torqued {

/// A model with the memory to evaluate single states. Not thread-safe: one per
/// thread; they may share the model. Computes what a batch with this state
/// computes, bit by bit. Allocates only for the results.
///
/// Vectors have nq (q) or nv numbers (the rest) in canonical joint order;
/// spatial vectors are (angular; linear); SI units. A call with a vector of the
/// wrong size, a frame that does not exist or a number that is not finite
/// returns NaN everywhere and says why in last_error().
class Robot {
 public:
  struct Options {
    Terms terms;
    /// Frame name; empty: the model's tip frame.
    std::string tip_frame;
    /// Of Jacobian, drift, Λ and η, and of the tip wrench.
    ReferenceFrame reference_frame = ReferenceFrame::kLocal;
    TaskOptions task;
    /// Whether OperationalSpace finds σ_min, which takes a singular value
    /// decomposition; else it is NaN.
    bool sigma_min = false;
    /// Null: BestTarget().
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

  const Model& model() const { return *model_; }
  const Options& options() const { return options_; }

  /// τ = M a + c + g (+ friction).
  Eigen::VectorXd InverseDynamics(Vector q, Vector v, Vector a);
  /// The same + Jᵀ F, F = (moment; force) that the tip exerts on the
  /// environment.
  Eigen::VectorXd InverseDynamics(Vector q, Vector v, Vector a,
                                  Vector tip_wrench_on_environment);
  /// M, full and symmetric.
  Eigen::MatrixXd MassMatrix(Vector q);
  /// a with M a + c + g (+ friction) = τ.
  Eigen::VectorXd ForwardDynamics(Vector q, Vector v, Vector tau);
  Eigen::VectorXd ForwardDynamics(Vector q, Vector v, Vector tau,
                                  Vector tip_wrench_on_environment);
  /// h = c + g (+ friction).
  Eigen::VectorXd BiasForces(Vector q, Vector v);
  /// T_0,tip, 4 x 4.
  Eigen::Matrix4d FramePose(Vector q);
  /// 6 x nv.
  Eigen::MatrixXd Jacobian(Vector q);
  /// J̇ v, 6 numbers.
  Eigen::VectorXd JacobianDrift(Vector q, Vector v);
  OperationalSpaceResult OperationalSpace(Vector q, Vector v);

  /// Empty when the last call went well (a singular task is reported here too,
  /// with the numbers its rule gives).
  const std::string& last_error() const { return last_error_; }

 private:
  /// A quantity's plan, and the kernels' evaluation of the last state.
  struct Prepared {
    explicit Prepared(EvaluationPlan checked) : plan(std::move(checked)) {}

    EvaluationPlan plan;
    BlockJob job{};
    RowWorkspace workspace;
    bool evaluated = false;
  };

  /// `result`, one row of an output; NaN remains where that fails.
  template <class Result>
  Result Compute(Output output, Result result, const EvaluationInputs& inputs);
  void Evaluate(Quantity quantity, const EvaluationInputs& inputs,
                const EvaluationOutputs& outputs);
  /// Null, and last_error() says why, when the options do not suit.
  Prepared* PreparedFor(Quantity quantity);
  /// As the last state; false if it is not of its form or not certainly OK.
  bool EvaluateAgain(Prepared& prepared, const EvaluationInputs& inputs,
                     const EvaluationOutputs& outputs) const;

  std::shared_ptr<const Model> model_;
  Options options_;
  const SimdKernels* kernels_;  // of single states
  /// Made at the first call for each quantity.
  std::array<std::unique_ptr<Prepared>, kQuantityCount> prepared_;
  std::string last_error_;
};

}  // namespace torqued
