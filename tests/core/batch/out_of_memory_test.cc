// Memory that runs out in the pool, where nobody could catch it.
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "core/batch/engine.h"
#include "tests/support/await.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::FailingAllocations;

TEST(OutOfMemory, FailsTheEvaluationAndLeavesTheEngineUsable) {
  constexpr int kDof = 200;
  constexpr int kRows = 40;
  // Workspaces grow with the square of the degrees of freedom.
  constexpr std::size_t kWorkspace = std::size_t{8} * kDof * kDof;
  const auto model = testing_support::LoadModel(
      testing_support::MakeRandomRobot(1, {.dof = kDof}).urdf);
  const std::vector<double> q(std::size_t{kDof} * kRows, 0.5);
  EvaluationOptions options;
  options.quantities = {Quantity::kMassMatrixInverse};
  EvaluationInputs inputs;
  inputs.q = {q.data(), NumberType::kF64, kRows, kDof};
  const auto plan = std::make_shared<const EvaluationPlan>(
      std::get<EvaluationPlan>(EvaluationPlan::Create(model, options, inputs)));
  ASSERT_FALSE(Engine::IsSmall(*plan));
  std::vector<double> inverse(q.size() * kDof);
  EvaluationOutputs outputs;
  outputs[Output::kMassMatrixInverse] = {inverse.data(), NumberType::kF64};

  Engine engine({.threads = 2, .chunk_rows = 1});
  const auto evaluate = [&] {
    std::promise<EvaluationReport> done;
    engine.Submit(plan, outputs, [&done](EvaluationReport report) {
      done.set_value(std::move(report));
    });
    return Await(done.get_future());
  };
  {
    const FailingAllocations failing(kWorkspace);
    const EvaluationReport report = evaluate();
    EXPECT_TRUE(report.failed);
    EXPECT_FALSE(report.cancelled);
    EXPECT_GT(failing.failures(), 0);
  }
  const EvaluationReport report = evaluate();
  EXPECT_FALSE(report.failed);
  EXPECT_EQ(report.rows_not_ok, 0);
}

}  // namespace
}  // namespace torqued
