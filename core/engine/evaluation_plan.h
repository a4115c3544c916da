// The checked request of a plan, and rows that are not OK in words.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dynamics/pivot_check.h"
#include "core/engine/block_job.h"
#include "core/engine/evaluation.h"

namespace torqued {

/// GCC fuses other products and sums at one lane, so that a row alone, or a
/// quantity together with a large one, would have other bits.
#ifdef __clang__
inline constexpr bool kOneLaneHasBitsOfLanes = true;
#else
inline constexpr bool kOneLaneHasBitsOfLanes = false;
#endif

/// The targets in this binary that this machine can run, the widest first; see
/// FindTarget. Never empty.
std::span<const SimdKernels* const> Targets();

/// The widest target; what is used unless another is asked for.
const SimdKernels& BestTarget();

/// Joint index that stands at place k of the caller's order; empty: k. The
/// names must be those of all movable joints, or none. Throws ArgumentError.
std::vector<int> ResolveJointOrder(const Model& model,
                                   const std::vector<std::string>& names);

/// The request, and what follows from it alone.
struct EvaluationPlan::Checked : Request {
  /// Throws ArgumentError.
  Checked(std::shared_ptr<const Model> model, EvaluationOptions options);

  /// The number of rows. Allocates nothing. Throws ArgumentError.
  std::int64_t CheckStates(const EvaluationInputs& inputs) const;
  /// Size of one dimension of a Shape.
  int SizeOf(int dimension) const;
  /// Numbers per row.
  int ColumnsOf(Input input) const;
  /// Canonical index of each of the caller's, in one dimension of a Shape;
  /// empty: the same.
  const std::vector<int>& Permutation(int dimension) const {
    return dimension == table::kPositions ? q_permutation
           : dimension == table::kJoints  ? v_permutation
                                          : no_permutation;
  }
  const std::vector<int>& Permutation(Input input) const {
    return Permutation(RowOf(input).shape.sizes[0]);
  }
  std::vector<int> PathTo(int body) const;
  /// Whether entry (i, j) of an output is zero at every state, by the branches
  /// of the robot. Canonical joints; columns of the regressor by body.
  bool IsAlwaysZero(Output output, int i, int j) const;
  KernelShape LayOut(Output output);
  /// Path of a frame of the model; none: of the base.
  FramePath PlaceOf(std::optional<int> frame, ReferenceFrame reference);
  void FillTask();

  std::vector<int> q_permutation, v_permutation, no_permutation;
  /// By Output; see KernelShape.
  std::array<std::vector<int>, kOutputCount> output_permutations;
  std::array<std::vector<unsigned char>, kOutputCount> zero_pieces;
  std::vector<int> roots;  // by body: its first ancestor
  /// Scales of the pivots of M; empty if nothing solves with M.
  InertiaScales inertia_scales;
  /// Whether a block of lanes takes too much memory, so that the plan is
  /// computed one state at a time: depends on the model and on what is asked
  /// for, never on the rows.
  bool one_lane = false;
  /// Quantities with so many numbers a row that they are computed in double
  /// precision.
  QuantitySet large;
  BlockSetup setup{};
  std::vector<std::vector<int>> paths;  // of the places
  std::vector<FramePath> frame_paths;
  std::vector<int> sliding;
  /// Nanoseconds of one core for a row of many: a guess until rows were
  /// measured.
  mutable std::atomic<double> cost = 0;
  mutable std::atomic<int> slow_runs = 0;  // in a row, of a small plan
};

inline const EvaluationPlan::Checked& EvaluationPlan::checked() const {
  return static_cast<const Checked&>(*request_);
}

/// For the lane kernels; valid as long as this plan or a copy.
BlockJob JobOf(const EvaluationPlan& plan, const EvaluationOutputs& outputs);

/// All of some quantities.
inline OutputBits OutputsOf(QuantityBits quantities) {
  OutputBits outputs = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((quantities >> k & 1) != 0) outputs |= table::kQuantities[k].outputs;
  }
  return outputs;
}

/// The index that stands at place k of the caller's order.
inline int CanonicalIndex(const std::vector<int>& permutation, int k) {
  return permutation.empty() ? k : permutation[k];
}

/// Name of the joint that a row's issue concerns; empty where none is.
std::string JointOf(const EvaluationPlan& plan, const RowIssue& issue);

/// Name of the input or output concerned.
std::string FieldOf(const RowIssue& issue);

/// One sentence for a person, with field, joint and value.
std::string Describe(const EvaluationPlan& plan, const RowIssue& issue);

}  // namespace torqued
