// A robot with a batch of random states, evaluated by chosen kernels.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"
#include "core/model/model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

/// All quantities there are.
QuantitySet Everything();

/// Row-major tables; joints in the order of the options.
struct BatchCase {
  std::string name;
  std::shared_ptr<const Model> model;
  std::int64_t rows = 0;
  std::vector<double> q, v, a, tau, wrench;
  std::vector<double> base_twist, base_acceleration, external_wrenches;
  std::vector<double> task_acceleration, null_space_torque, gravity;
  /// Of the arrays that Evaluate hands over.
  NumberType input_type = NumberType::kF64, output_type = NumberType::kF64;
  EvaluationOptions options;

  /// The tables as they stand.
  EvaluationInputs Inputs() const;
  std::vector<double>& operator[](Input input);
};

/// Gives the task of a batch, as its options stand, random accelerations and
/// null-space torques.
void AddTaskInputs(BatchCase& batch, std::uint64_t seed);

/// Moves the base, turns gravity, and lets wrenches act in all reference
/// frames: on two moving frames, twice on the first, and on the base.
void AddSurroundings(BatchCase& batch, std::uint64_t seed);

struct BatchResult {
  std::map<Output, std::vector<double>> tables;
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;
  std::vector<TaskRule> rule;
  std::vector<RowIssue> issues;
  /// By row: the quantities that the kernels left undecided.
  std::vector<QuantityBits> doubts;
};

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A row of a result as a matrix of so many rows.
Eigen::Map<const RowMajorMatrix> RowOf(const BatchResult& result, Output output,
                                       std::int64_t row, int matrix_rows);

/// Whether row `k` of one result is row `j` of another, bit by bit.
bool SameRow(const BatchResult& a, std::int64_t k, const BatchResult& b,
             std::int64_t j);

/// Random states of a random robot (see MakeRandomRobot).
BatchCase MakeRandomCase(std::uint64_t seed, int dof, bool tree,
                         std::int64_t rows, double prismatic_share = 0.25);

/// Those of the seed that is its number of joints.
BatchCase MakeRandomCase(int dof, bool tree, std::int64_t rows);

/// The same with all that a random robot can be told.
BatchCase MakeRandomCase(std::uint64_t seed, const RandomRobotOptions& options,
                         std::int64_t rows);

/// Random states of a model.
BatchCase MakeCase(std::shared_ptr<const Model> model, std::int64_t rows,
                   std::uint64_t seed);

/// Random states of deploy/models/NAME.urdf.
BatchCase MakeShippedCase(const std::string& name, std::int64_t rows,
                          std::uint64_t seed);

/// What the kernels alone make of all rows; returns how many are in doubt.
long long RunKernels(const LaneKernels& kernels, const BlockJob& job,
                     std::int64_t rows, RowWorkspace& workspace);

/// Evaluates all rows, `chunk` at a time. With `sigma` the singular values are
/// asked for.
BatchResult Evaluate(const BatchCase& batch, const LaneKernels& kernels,
                     std::int64_t chunk = 1 << 20, bool sigma = false);

}  // namespace torqued::testing_support
