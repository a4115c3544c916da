// What can be asked of a model for a set of states, and what comes back.
//
// Conventions as everywhere: spatial vectors are (angular; linear), SI units.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dynamics/operational_space.h"
#include "core/dynamics/quantity.h"
#include "core/model/description.h"
#include "core/tree/tree.h"

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
#define INPUT(id, member, ...) &EvaluationInputs::member,
#include "core/dynamics/quantities.def"
  };
};

/// Precision of the computing; that of the arrays is their own. Robots of over
/// 256 degrees of freedom are computed in double: see
/// EvaluationPlan::precision.
enum class Precision : std::uint8_t { kDouble, kSingle };

/// How a mass matrix stands in its row.
enum class MassMatrixLayout : std::uint8_t {
  kFull,         // nv² numbers, row-major
  kPackedLower,  // nv (nv + 1) / 2: rows 0 to nv − 1 up to the diagonal
  /// M_ij for EvaluationPlan::AncestorPairs: all that is not zero in the lower
  /// half whatever q is. Of the regressor, which is triangular in the same way,
  /// the 10 numbers of the torque of joint j by the link of joint i.
  kAncestorPairs,
};

/// Where an external wrench acts.
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
  QuantitySet quantities;
  /// Order of the joints in all arrays; empty: canonical.
  std::vector<std::string> joint_names;
  Terms terms;
  /// Frame name; empty: the model's tip frame.
  std::string tip_frame;
  /// Of the Jacobian, its rate, the drift, the frame's velocity and
  /// acceleration, the task's acceleration, Λ and η.
  ReferenceFrame reference_frame = ReferenceFrame::kLocal;
  /// Of the tip wrench.
  ReferenceFrame wrench_frame = ReferenceFrame::kLocal;
  TaskOptions task;
  std::vector<ExternalWrenchOptions> external_wrenches;
  std::optional<PayloadOptions> payload;
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

/// Why a row is not OK; a row has the gravest that applies.
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
  // Of kInvalidSample.
  std::int64_t row = -1;   // -1: of no row alone
  std::string joint = {};  // empty: of no joint alone
  /// Of kUnknownFrame and of kWrongJointNames: the name that the model does not
  /// have; empty where another thing is wrong.
  std::string wanted = {};
  /// Of kTipFrameRequired: the leaf links, one of which may have been meant; of
  /// a `wanted` frame: all frames, leaf links first; of a `wanted` joint: all
  /// movable joints.
  std::vector<std::string> candidates = {};
};

/// Names as callers know them: "inverse_dynamics", "tip_wrench...",
/// "mass_matrix".
inline std::string_view ToString(Quantity is) { return RowOf(is).name; }
inline std::string_view ToString(Input is) { return RowOf(is).name; }
inline std::string_view ToString(Output is) { return RowOf(is).name; }

}  // namespace torqued
