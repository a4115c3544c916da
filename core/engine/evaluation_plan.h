// A validated request: what to compute for which rows.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/dynamics/pivot_check.h"
#include "core/engine/block_job.h"
#include "core/engine/evaluation.h"
#include "core/model/model.h"

namespace torqued {

/// GCC fuses other products and sums at one lane, so that a row alone, or a
/// quantity beside a large one, would have other bits.
#ifdef __clang__
inline constexpr bool kOneLaneHasBitsOfLanes = true;
#else
inline constexpr bool kOneLaneHasBitsOfLanes = false;
#endif

/// Joint index that stands at place k of the caller's order; empty: k. The
/// names must be those of all movable joints, or none. Throws ArgumentError.
std::vector<int> ResolveJointOrder(const Model& model,
                                   const std::vector<std::string>& names);

/// Keeps the model alive; the input memory is the caller's and must outlive the
/// evaluation. Not to be changed while an evaluation is under way. Copies share
/// everything but the states that they are bound to.
class EvaluationPlan {
 public:
  /// Checks everything that does not depend on the states; the plan has no rows
  /// until Rebind gives it some.
  static std::variant<EvaluationPlan, ArgumentError> Create(
      std::shared_ptr<const Model> model, EvaluationOptions options);

  /// Checks everything that does not depend on the numbers in the rows.
  static std::variant<EvaluationPlan, ArgumentError> Create(
      std::shared_ptr<const Model> model, EvaluationOptions options,
      const EvaluationInputs& inputs);

  /// The same quantities and options for other states. After an error the plan
  /// is what it was before. Allocates nothing unless there is an error.
  std::optional<ArgumentError> Rebind(const EvaluationInputs& inputs);

  const Model& model() const { return *checked_->model; }
  const EvaluationOptions& options() const { return checked_->options; }
  const EvaluationInputs& inputs() const { return inputs_; }

  std::int64_t rows() const { return rows_; }
  /// Whether the quantities asked for produce this output.
  bool Produces(Output output) const {
    return (checked_->outputs & Bit(output)) != 0;
  }
  /// Numbers per row of an output that the plan produces.
  int columns(Output output) const { return shape(output).columns; }
  /// Canonical joints (i, j) of MassMatrixLayout::kAncestorPairs in their
  /// order: for each joint i of the caller's order those that carry it, from
  /// the base, and itself.
  std::vector<std::pair<int, int>> AncestorPairs() const {
    return checked_->AncestorPairs();
  }
  int ColumnsOf(Input input) const { return checked_->ColumnsOf(input); }

  /// The frame that pose, Jacobian, drift, task and tip wrench refer to;
  /// nothing when no quantity or wrench uses one.
  std::optional<int> tip_frame() const {
    return checked_->TipFrame(inputs_.tip_wrench.present());
  }
  /// The tip frame if any quantity uses it, or would use it were a tip wrench
  /// given.
  std::optional<int> tip_frame_of_any_states() const {
    return checked_->TipFrame((checked_->reads & Bit(Input::kTipWrench)) != 0);
  }

  /// Joint index that stands at place k of the caller's order; empty: k.
  const std::vector<int>& joint_order() const { return checked_->joint_order; }
  /// Canonical column of each column of the caller; empty: the same.
  const std::vector<int>& input_permutation(Input input) const {
    return checked_->Permutation(RowOf(input).shape.sizes[0]);
  }

  /// The precision that computes: double for models of no or more than 256
  /// degrees of freedom. In single precision rows and results are left that are
  /// computed in double all the same.
  Precision precision() const { return checked_->precision; }

  /// What pivots of M are compared with; empty where nothing solves with M.
  const InertiaScales& inertia_scales() const {
    return checked_->inertia_scales;
  }

  /// Whether a block of lanes takes too much memory, so that the plan is
  /// computed one state at a time: depends on the model and on what is asked
  /// for, never on the rows.
  bool one_lane() const { return checked_->one_lane; }

  /// What has so many numbers a row that it is computed in double precision.
  QuantitySet large() const { return checked_->large; }

  /// Of an output that the plan produces.
  const KernelShape& shape(Output output) const {
    return checked_->setup.shapes[static_cast<std::size_t>(output)];
  }

  /// For the lane kernels; valid as long as this plan or a copy.
  BlockJob Job(const EvaluationOutputs& outputs) const;
  /// The same without outputs.
  BlockJob JobOfInputs() const;

  /// Nanoseconds of one core for a row of many: a guess until rows were
  /// measured. All copies of a plan share it.
  std::atomic<double>& cost() const { return checked_->cost; }
  /// For all rows.
  double nanoseconds() const;

  /// Memory that the plan holds beside a model that others share, roughly.
  std::int64_t bytes() const;

 private:
  /// The request as it was understood, and what follows from it alone.
  struct Checked {
    /// Throws ArgumentError.
    Checked(std::shared_ptr<const Model> model, EvaluationOptions options);

    /// The number of rows. Allocates nothing. Throws ArgumentError.
    std::int64_t CheckStates(const EvaluationInputs& inputs) const;
    /// Of one dimension of a Shape.
    int SizeOf(int dimension) const;
    /// Numbers per row.
    int ColumnsOf(Input input) const;
    std::optional<int> TipFrame(bool has_wrench) const {
      const bool used = has_wrench || options.quantities.HasAny(kTipQuantities);
      return used ? tip_frame : std::nullopt;
    }
    bool IsAlwaysZero(Output output, int i, int j) const;
    KernelShape LayOut(Output output);
    std::vector<std::pair<int, int>> AncestorPairs() const;
    std::vector<int> PathTo(int body) const;
    /// Of the caller's order, in one dimension of a Shape.
    const std::vector<int>& Permutation(int dimension) const;
    FramePath PlaceOf(const BodyFrame& frame, ReferenceFrame reference);
    void FillTask(const BodyFrame& tip);

    std::shared_ptr<const Model> model;  // with the payload
    /// With gravity, and with the frames of payload and wrenches.
    EvaluationOptions options;
    /// Inputs that some quantity reads.
    InputBits reads = 0;
    OutputBits outputs = 0;
    /// Named by the options, or the model's; nothing when neither settles it.
    std::optional<int> tip_frame;
    std::vector<int> joint_order, q_permutation, v_permutation;
    /// By Output; see KernelShape.
    std::array<std::vector<int>, kOutputCount> output_permutations;
    std::array<std::vector<unsigned char>, kOutputCount> zero_pieces;
    std::vector<int> roots;  // by body: its first ancestor
    Precision precision = Precision::kDouble;
    InertiaScales inertia_scales;
    bool one_lane = false;
    QuantitySet large;
    BlockSetup setup{};
    std::vector<std::vector<int>> paths;  // of the places
    std::vector<FramePath> frame_paths;
    std::vector<int> sliding;
    mutable std::atomic<double> cost = 0;
  };

  explicit EvaluationPlan(std::shared_ptr<const Checked> checked)
      : checked_(std::move(checked)) {}

  std::shared_ptr<const Checked> checked_;
  EvaluationInputs inputs_;
  std::int64_t rows_ = 0;
};

}  // namespace torqued
