// Arrays of f32 are converted at both ends, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

void Round(std::vector<double>& table) {
  for (double& x : table) x = static_cast<double>(static_cast<float>(x));
}

/// States in numbers of single precision; with and without another order of
/// the joints.
std::vector<BatchCase> Cases(std::int64_t rows) {
  std::vector<BatchCase> cases;
  for (const int dof : {1, 3, 4, 7, 13}) {
    BatchCase batch = MakeRandomCase(dof, dof % 2 == 0, rows);
    for (auto* table :
         {&batch.q, &batch.v, &batch.a, &batch.tau, &batch.wrench}) {
      Round(*table);
    }
    cases.push_back(batch);
    std::vector<std::string>& names = batch.options.joint_names;
    for (const Joint& joint : batch.model->joints()) {
      names.push_back(joint.name);
    }
    std::rotate(names.begin(), names.begin() + 1, names.end());
    batch.name += ", in another order";
    cases.push_back(std::move(batch));
  }
  return cases;
}

/// Calls f(batch, kernels, where, result with f64 arrays) in both precisions.
template <class Function>
void ForCases(const Function& f) {
  for (const LaneKernels* kernels : Targets()) {
    for (BatchCase& batch : Cases(2 * kernels->lanes_f32 + 3)) {
      for (const Precision precision :
           {Precision::kDouble, Precision::kSingle}) {
        batch.options.precision = precision;
        const std::string where =
            batch.name + " on " + kernels->target +
            (precision == Precision::kSingle ? ", single" : ", double");
        f(batch, *kernels, where, Evaluate(batch, *kernels));
      }
    }
  }
}

TEST(NumberTypes, SingleInputsAreTheSameNumbersInDouble) {
  ForCases([](BatchCase batch, const LaneKernels& kernels,
              const std::string& where, const BatchResult& expected) {
    batch.input_type = NumberType::kF32;
    const BatchResult actual = Evaluate(batch, kernels);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      EXPECT_TRUE(SameRow(actual, row, expected, row)) << where << " " << row;
    }
  });
}

TEST(NumberTypes, SingleOutputsAreTheResultsRounded) {
  ForCases([](BatchCase batch, const LaneKernels& kernels,
              const std::string& where, BatchResult expected) {
    for (auto& [unused, table] : expected.tables) Round(table);
    batch.output_type = NumberType::kF32;
    const BatchResult actual = Evaluate(batch, kernels);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      EXPECT_TRUE(SameRow(actual, row, expected, row)) << where << " " << row;
    }
  });
}

}  // namespace
}  // namespace torqued::testing_support
