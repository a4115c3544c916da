// The quantities of a model for a set of states, and their results.
//
// Conventions as everywhere: spatial vectors are (angular; linear), SI units.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "torqued/core/dynamics/quantity.h"
#include "torqued/core/model/description.h"
#include "torqued/core/model/model.h"

namespace torqued {

enum class NumberType : std::uint8_t { kF64, kF32 };

constexpr int SizeOf(NumberType type) {
  return type == NumberType::kF64 ? 8 : 4;
}

/// A view of the caller's memory: a row-major table of `rows` x `columns`
/// numbers, little-endian, without padding; need not be aligned. No rows:
/// absent.
struct InputArray {
  const void* data = nullptr;
  NumberType type = NumberType::kF64;
  std::int64_t rows = 0;
  int columns = 0;

  bool present() const { return rows > 0; }
};

/// Room for the results of all rows; `columns` is what the plan says. Null
/// data: not wanted.
struct OutputArray {
  void* data = nullptr;
  NumberType type = NumberType::kF64;
};

/// A set of quantities.
class QuantitySet {
 public:
  constexpr QuantitySet() = default;
  constexpr QuantitySet(std::initializer_list<Quantity> quantities) {
    for (const Quantity quantity : quantities) Add(quantity);
  }
  constexpr explicit QuantitySet(QuantityBits bits) : bits_(bits) {}
  constexpr void Add(Quantity q) { bits_ |= Bit(q); }
  constexpr bool Has(Quantity q) const { return (bits_ & Bit(q)) != 0; }
  constexpr bool HasAny(QuantityBits bits) const { return (bits_ & bits) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr QuantityBits bits() const { return bits_; }

 private:
  QuantityBits bits_ = 0;
};

/// Which terms of the equation of motion take part; armature always does.
struct Terms {
  /// In base axes, m/s². Absent: the model's.
  std::optional<std::array<double, 3>> gravity;
  bool viscous_friction = false;
  bool coulomb_friction = false;
  /// ε, rad/s or m/s: Coulomb friction is F_s tanh(v / ε). 0: F_s sgn(v).
  double coulomb_smoothing = 0;
};

struct EvaluationInputs {
  InputArray q = {};    // nq columns
  InputArray v = {};    // nv columns; absent: zeros
  InputArray a = {};    // nv columns; absent: zeros
  InputArray tau = {};  // nv columns; needed by forward dynamics
  /// 6 columns (moment; force) that the tip exerts on the environment.
  InputArray tip_wrench = {};
  /// 6 columns (angular; linear): twist of the base against an inertial frame
  /// and its rate V̇_0 without gravity, in base axes at the base's origin.
  /// Absent: zeros.
  InputArray base_twist = {};
  InputArray base_acceleration = {};
  /// 6 columns (moment; force) for each of EvaluationOptions::external_wrenches
  /// in turn: what acts on the robot there. Absent: nothing.
  InputArray external_wrenches = {};
  /// m columns: the wanted acceleration of the task, in its reference frame.
  /// Absent: zeros.
  InputArray task_acceleration = {};
  /// nv columns: torques of which the task torque takes what leaves the task
  /// alone. Absent: zeros.
  InputArray null_space_torque = {};
  /// 3 columns: gravity in base axes, m/s², which turn where the base does.
  /// Absent: that of the terms.
  InputArray gravity = {};

  /// By name; `columns` of each are checked by EvaluationPlan.
  const InputArray& operator[](Input input) const {
    return this->*kMembers[static_cast<std::size_t>(input)];
  }
  InputArray& operator[](Input input) {
    return this->*kMembers[static_cast<std::size_t>(input)];
  }

 private:
  static constexpr InputArray EvaluationInputs::* kMembers[] = {
#define TORQUED_MEMBER(id, member, ...) &EvaluationInputs::member,
      TORQUED_INPUTS(TORQUED_MEMBER)};
};

/// Precision of the computing; that of the arrays is their own. Robots of over
/// 256 degrees of freedom are computed in double: see
/// EvaluationPlan::precision.
enum class Precision : std::uint8_t { kDouble, kSingle };

/// Order of the entries of a mass matrix in its row.
enum class MassMatrixLayout : std::uint8_t {
  kFull,         // nv² numbers, row-major
  kPackedLower,  // nv (nv + 1) / 2: rows 0 to nv − 1 up to the diagonal
  /// M_ij for EvaluationPlan::AncestorPairs: all that is not zero in the lower
  /// half whatever q is. For the regressor, which is triangular in the same
  /// way, the 10 numbers of the torque of joint j by the link of joint i.
  kAncestorPairs,
};

/// Which Λ a row gets if the task Jacobian J (m x n) loses rank. With W = J M⁻¹
/// Jᵀ, rows of full rank get Λ = W⁻¹ under either rule.
enum class SingularityRule : std::uint8_t {
  /// Λ = U (Uᵀ W U)⁻¹ Uᵀ, U an orthonormal basis of range(J).
  kReport,
  /// Λ = (W + μ² 1)⁻¹.
  kDamped,
};

/// The rule that a row's Λ follows.
enum class TaskRule : std::uint8_t {
  kFullRank,
  kRangeRestricted,
  kDamped,
  kUndefined,  // invalid input or singular mass matrix
};

/// Bounds of a characteristic length, m. Its inverse is finite in both
/// precisions. The square of the inverse need not be in single precision:
/// states whose task has linear rows are in doubt there, and computed in
/// double.
inline constexpr double kLeastLength = 1e-30;
inline constexpr double kLargestLength = 1e30;

struct TaskOptions {
  /// Rows of the task: 0..2 angular x y z, 3..5 linear x y z.
  std::array<std::uint8_t, 6> axes{0, 1, 2, 3, 4, 5};
  int axis_count = 6;
  SingularityRule singularity = SingularityRule::kReport;
  double damping = 0;  // μ
  /// Rank = number of singular values of the task Jacobian above this times the
  /// Frobenius norm of all six rows of the frame's Jacobian; linear rows are
  /// divided by characteristic_length (m) first. Round-off limits it from below
  /// (8 ε for each joint before the frame). A W that is singular to working
  /// precision lowers the rank further.
  double rank_tolerance = 1e-6;
  /// In [kLeastLength, kLargestLength].
  double characteristic_length = 1;
};

/// The place of an external wrench.
struct ExternalWrenchOptions {
  /// Frame name; empty: that of the other options, or the model's.
  std::string frame;
  ReferenceFrame reference_frame = ReferenceFrame::kLocal;
};

/// A rigid body fixed to a frame, as if the model had a link there.
struct PayloadOptions {
  /// Frame name; empty: that of the other options, or the model's.
  std::string frame;
  /// In axes of the frame: mass, and inertia about the centre of mass, which is
  /// the origin's p.
  LinkInertial inertial;
};

struct EvaluationOptions {
  QuantitySet quantities = {};
  /// Order of the joints in all arrays; empty: canonical.
  std::vector<std::string> joint_names = {};
  Terms terms = {};
  /// Frame name; empty: the model's tip frame.
  std::string tip_frame = {};
  /// Axes of the Jacobian, its rate, the drift, the frame's velocity and
  /// acceleration, the task's acceleration, Λ and η.
  ReferenceFrame reference_frame = ReferenceFrame::kLocal;
  /// Axes of the tip wrench.
  ReferenceFrame wrench_frame = ReferenceFrame::kLocal;
  TaskOptions task = {};
  std::vector<ExternalWrenchOptions> external_wrenches = {};
  std::optional<PayloadOptions> payload = {};
  /// The packed lower half has all there is, in about half the memory; pairs of
  /// ancestors in less if the robot has branches.
  MassMatrixLayout mass_matrix_layout = MassMatrixLayout::kFull;
  Precision precision = Precision::kDouble;
};

/// One array per result; EvaluationPlan::columns says how wide.
struct EvaluationOutputs {
  std::array<OutputArray, kOutputCount> arrays;
  /// One per row, or null; only with kOperationalSpace.
  std::uint32_t* rank = nullptr;
  double* sigma_min = nullptr;
  TaskRule* rule = nullptr;

  OutputArray& operator[](Output o) {
    return arrays[static_cast<std::size_t>(o)];
  }
  const OutputArray& operator[](Output o) const {
    return arrays[static_cast<std::size_t>(o)];
  }
};

/// The kind of a row's Λ.
struct TaskDiagnostics {
  TaskRule rule = TaskRule::kUndefined;
  int rank = 0;
  /// Smallest singular value of the task Jacobian, whose linear rows are
  /// divided by the characteristic length; 0 if there are fewer joints than
  /// axes.
  double sigma_min = 0;
};

/// Why a row is not OK. If several codes apply, a row has the most severe.
enum class RowCode : std::uint8_t {
  kInvalidInput,
  kSingularMassMatrix,
  kNotFiniteResult,
  kSingularTaskSpace,  // the row has its numbers, by the singularity rule
};

/// A row that is not OK.
struct RowIssue {
  std::int64_t row = 0;
  RowCode code = RowCode::kInvalidInput;
  Input input = Input::kQ;       // of kInvalidInput
  Output output = Output::kTau;  // of the others
  /// kInvalidInput: column of the input, as the caller ordered it.
  /// kSingularMassMatrix: canonical joint. Else -1.
  int column = -1;
  /// The input number, the pivot or the singular value.
  double value = 0;
  int rank = -1;  // of kSingularTaskSpace
};

/// An argument that cannot be used; nothing was computed.
struct ArgumentError {
  enum class Code : std::uint8_t {
    kWrongColumnCount,
    kWrongRowCount,
    kMissingInput,
    kWrongJointNames,
    kUnknownFrame,
    kTipFrameRequired,
    kInvalidOption,
    kInvalidSample,
  };
  Code code = Code::kInvalidOption;
  std::string field;    // "q", "options.joint_names[3]", "options.tip_frame"
  std::string message;  // one sentence
  // Set for kInvalidSample.
  std::int64_t row = -1;   // -1: of no row alone
  std::string joint = {};  // empty: of no joint alone
  /// For kUnknownFrame and kWrongJointNames the name that the model does not
  /// have; empty if the error is another one.
  std::string wanted = {};
  /// For kTipFrameRequired the leaf links, one of which may have been meant.
  /// For a `wanted` frame all frames, leaf links first. For a `wanted` joint
  /// all movable joints.
  std::vector<std::string> candidates = {};
};

/// Names as callers know them: "inverse_dynamics", "tip_wrench...",
/// "mass_matrix".
inline std::string_view ToString(Quantity is) { return RowOf(is).name; }
inline std::string_view ToString(Input is) { return RowOf(is).name; }
inline std::string_view ToString(Output is) { return RowOf(is).name; }

/// A validated request: what to compute for which rows. Keeps the model alive;
/// the input memory is the caller's and must outlive the evaluation. It must
/// not change during an evaluation. Copies share everything but the states that
/// they are bound to.
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

  /// With the payload.
  const Model& model() const { return *request_->model; }
  /// With gravity, and with the frames of payload and wrenches.
  const EvaluationOptions& options() const { return request_->options; }
  const EvaluationInputs& inputs() const { return inputs_; }
  std::int64_t rows() const { return rows_; }

  /// Whether the quantities asked for produce this output.
  bool Produces(Output output) const {
    return (request_->outputs & Bit(output)) != 0;
  }
  /// Numbers per row of an output that the plan produces.
  int columns(Output output) const {
    return request_->output_columns[static_cast<std::size_t>(output)];
  }
  /// Canonical joints (i, j) of MassMatrixLayout::kAncestorPairs in their
  /// order: for each joint i of the caller's order those that carry it, from
  /// the base, and itself. Empty under other layouts.
  const std::vector<std::pair<int, int>>& AncestorPairs() const {
    return request_->ancestor_pairs;
  }
  /// Joint index that stands at place k of the caller's order; empty: k.
  const std::vector<int>& joint_order() const { return request_->joint_order; }

  /// The frame that pose, Jacobian, drift, task and tip wrench refer to;
  /// nothing when no quantity or wrench uses one.
  std::optional<int> tip_frame() const {
    return request_->TipFrame(inputs_.tip_wrench.present());
  }
  /// The tip frame if any quantity uses it, or would use it were a tip wrench
  /// given.
  std::optional<int> tip_frame_of_any_states() const {
    return request_->TipFrame((request_->reads & Bit(Input::kTipWrench)) != 0);
  }

  /// The precision that computes: double for models of no or more than 256
  /// degrees of freedom. In single precision rows and results are left that are
  /// computed in double all the same.
  Precision precision() const { return request_->precision; }

  /// Time of one core for all rows: a guess until rows were measured, by this
  /// plan or a copy.
  double nanoseconds() const;
  /// Approximate memory of the plan without the model, which others share.
  std::int64_t bytes() const;

  /// For the engine.
  struct Checked;
  const Checked& checked() const;

 private:
  /// As it was understood.
  struct Request {
    std::optional<int> TipFrame(bool has_wrench) const {
      const bool used = has_wrench || options.quantities.HasAny(kTipQuantities);
      return used ? tip_frame : std::nullopt;
    }

    std::shared_ptr<const Model> model;
    EvaluationOptions options;
    /// Inputs that some quantity reads.
    InputBits reads = 0;
    OutputBits outputs = 0;
    std::array<int, kOutputCount> output_columns{};
    /// Named by the options, or the model's; nothing when neither settles it.
    std::optional<int> tip_frame = {};
    std::vector<int> joint_order = {};
    std::vector<std::pair<int, int>> ancestor_pairs = {};
    Precision precision = Precision::kDouble;
  };

  explicit EvaluationPlan(std::shared_ptr<const Request> request)
      : request_(std::move(request)) {}

  std::shared_ptr<const Request> request_;  // a Checked
  EvaluationInputs inputs_;
  std::int64_t rows_ = 0;
};

/// The kernels, compiled for one instruction set.
struct SimdKernels;

/// The kernels of "avx512" (F, DQ, VL, BW), "avx2" (with FMA) and "baseline"
/// (x86-64 or any other architecture). Null when this binary has no such target
/// or this machine cannot run it.
const SimdKernels* FindTarget(std::string_view name);

}  // namespace torqued
