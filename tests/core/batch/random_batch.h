// Random states of a robot, evaluated, and results compared by their bits.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/engine.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

inline constexpr Output kOutputs[] = {
    Output::kTau,           Output::kMassMatrix, Output::kAcceleration,
    Output::kBias,          Output::kPose,       Output::kJacobian,
    Output::kJacobianDrift, Output::kLambda,     Output::kEta};
inline constexpr QuantitySet kEverything = {
    Quantity::kInverseDynamics, Quantity::kMassMatrix,
    Quantity::kForwardDynamics, Quantity::kBiasForces,
    Quantity::kFramePose,       Quantity::kJacobian,
    Quantity::kJacobianDrift,   Quantity::kOperationalSpace};

/// Random states of a robot and room for all results.
class Batch {
 public:
  Batch(std::shared_ptr<const Model> model, std::int64_t rows,
        std::uint64_t seed = 1)
      : model_(std::move(model)), rows_(rows) {
    Random random(seed);
    const auto fill = [&](std::vector<double>& table, int columns) {
      table.resize(static_cast<std::size_t>(rows * columns));
      for (double& x : table) x = random.Uniform(-2, 2);
    };
    fill(q, model_->nq());
    fill(v, model_->nv());
    fill(a, model_->nv());
    fill(tau, model_->nv());
    fill(wrench, 6);
    options.quantities = kEverything;
  }

  static InputArray View(const std::vector<double>& table, int columns) {
    return {table.data(), NumberType::kF64,
            static_cast<std::int64_t>(table.size()) / columns, columns};
  }

  EvaluationInputs Inputs() const {
    EvaluationInputs in;
    in.q = View(q, model_->nq());
    in.v = View(v, model_->nv());
    in.a = View(a, model_->nv());
    in.tau = View(tau, model_->nv());
    in.tip_wrench = View(wrench, 6);
    return in;
  }

  EvaluationPlan Plan() const {
    auto plan = EvaluationPlan::Create(model_, options, Inputs());
    if (const auto* error = std::get_if<ArgumentError>(&plan)) {
      ADD_FAILURE() << error->field << ": " << error->message;
      std::abort();
    }
    return std::get<EvaluationPlan>(std::move(plan));
  }

  /// Results as one table a kind, and the diagnostics.
  struct Results {
    std::vector<double> tables[kOutputCount];
    std::vector<std::uint32_t> rank;
    std::vector<double> sigma_min;
    std::vector<TaskRule> rule;
    EvaluationReport report;
  };

  EvaluationOutputs Prepare(const EvaluationPlan& plan, Results& r) const {
    EvaluationOutputs out;
    const auto rows = static_cast<std::size_t>(rows_);
    for (const Output o : kOutputs) {
      if (!plan.Produces(o)) continue;
      auto& table = r.tables[static_cast<int>(o)];
      table.assign(rows * static_cast<std::size_t>(plan.columns(o)), -7);
      out[o] = {table.data(), NumberType::kF64};
    }
    r.rank.resize(rows);
    r.sigma_min.resize(rows);
    r.rule.resize(rows);
    out.rank = r.rank.data();
    out.sigma_min = r.sigma_min.data();
    out.rule = r.rule.data();
    return out;
  }

  Results Evaluate(Engine& engine) const {
    Results r;
    const EvaluationPlan plan = Plan();
    const EvaluationOutputs out = Prepare(plan, r);
    r.report = engine.Evaluate(plan, out);
    return r;
  }

  EvaluationOptions options;
  std::vector<double> q, v, a, tau, wrench;

 private:
  std::shared_ptr<const Model> model_;
  std::int64_t rows_;
};

/// Bits, so that NaN equals NaN and 0 differs from -0.
inline bool SameBits(const double* x, const double* y, std::size_t count) {
  return count == 0 || std::memcmp(x, y, count * sizeof(double)) == 0;
}

inline void ExpectSameBits(const Batch::Results& x, const Batch::Results& y) {
  for (const Output o : kOutputs) {
    const auto& a = x.tables[static_cast<int>(o)];
    const auto& b = y.tables[static_cast<int>(o)];
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(SameBits(a.data(), b.data(), a.size())) << ToString(o);
  }
  EXPECT_EQ(x.rank, y.rank);
  EXPECT_EQ(x.rule, y.rule);
  EXPECT_TRUE(
      SameBits(x.sigma_min.data(), y.sigma_min.data(), x.sigma_min.size()));
}

}  // namespace torqued::testing_support
