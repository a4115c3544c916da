// A robot with a batch of random states, evaluated by chosen kernels.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/evaluate_rows.h"
#include "core/model/model.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr QuantitySet kEverything((QuantityBits{1} << kQuantityCount) -
                                         1);

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

  std::vector<double>& operator[](Input input);
  const std::vector<double>& operator[](Input input) const;
  int ColumnsOf(Input input) const;
  /// The tables as they stand.
  EvaluationInputs Inputs() const;
  /// With these tables, or others of the same sizes.
  EvaluationPlan Plan() const { return Plan(Inputs()); }
  EvaluationPlan Plan(const EvaluationInputs& inputs) const;
};

/// Gives the task of a batch, as its options stand, random accelerations and
/// null-space torques.
void AddTaskInputs(BatchCase& batch, std::uint64_t seed);

/// Moves the base, turns gravity, and lets wrenches act in all reference
/// frames: on two moving frames, twice on the first, and on the base.
void AddSurroundings(BatchCase& batch, std::uint64_t seed);

/// Joints in another order than the model's: a permutation that is not its own
/// inverse.
void TurnJointsAround(BatchCase& batch);

struct BatchResult {
  std::map<Output, std::vector<double>> tables;
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;
  std::vector<TaskRule> rule;
  std::vector<RowIssue> issues;
  /// By row: the quantities that the kernels left undecided.
  std::vector<QuantityBits> doubts;

  /// Room for all that a plan produces, but for singular values.
  EvaluationOutputs MakeRoom(const EvaluationPlan& plan, double fill = 0);
};

/// A row of a result as a matrix of so many rows.
Eigen::Map<const RowMajorMatrix> RowOf(const BatchResult& result, Output output,
                                       std::int64_t row, int matrix_rows = 1);

/// Whether row `k` of one result is row `j` of another, bit by bit.
bool SameRow(const BatchResult& a, std::int64_t k, const BatchResult& b,
             std::int64_t j);

/// Each row of `part` is that of the whole from `begin` on, bit by bit.
void ExpectSameRows(const BatchResult& part, const BatchResult& whole,
                    const std::string& where, std::int64_t begin = 0);

/// Random states of a random robot (see MakeRandomRobot).
BatchCase MakeRandomCase(std::uint64_t seed, int dof, bool tree,
                         std::int64_t rows, double prismatic_share = 0.25,
                         double right_angle_share = 0);

/// Those of the seed that is its number of joints.
BatchCase MakeRandomCase(int dof, bool tree, std::int64_t rows);

/// Random states of a model.
BatchCase MakeCase(std::shared_ptr<const Model> model, std::int64_t rows,
                   std::uint64_t seed);

/// Random states of examples/robots/NAME.urdf.
inline BatchCase MakeShippedCase(const std::string& name, std::int64_t rows,
                                 std::uint64_t seed) {
  return MakeCase(ShippedModel(name), rows, seed);
}

/// Joints of no name that move links of no name: "j0" moves "l0". By joint the
/// one that carries it, -1: the base; none: each on the link before it.
std::shared_ptr<const Model> MakeTree(std::vector<JointDescription> joints,
                                      std::vector<LinkDescription> links,
                                      const std::vector<int>& carriers = {});

/// A joint of no name between no links.
inline JointDescription Turning(std::array<double, 3> axis,
                                std::array<double, 3> xyz = {0, 0, 0}) {
  return JointOf("", JointKind::kContinuous, "", "", xyz, axis);
}

/// Evaluates all rows, `chunk` at a time. With `sigma` the singular values are
/// asked for.
BatchResult Evaluate(const BatchCase& batch, const SimdKernels& kernels,
                     std::int64_t chunk = 1 << 20, bool sigma = false);

/// Kernels and a precision.
struct Route {
  const SimdKernels& kernels;
  Precision precision;
  std::string name;
};

/// All targets in both precisions.
std::vector<Route> Routes();

BatchResult Evaluate(BatchCase batch, const Route& route);

/// By the definitions of rigid-body dynamics: every quantity of every row
/// alone, in numbers wider than double, on the tree as it is described.
BatchResult Reference(const BatchCase& batch);

}  // namespace torqued::testing_support
