// What a unit compiled for one instruction set is asked to do, and the table of
// functions that it offers: pointers, numbers and plain structs, because
// nothing else may cross between units of different targets.
#pragma once

#include "core/dynamics/quantity.h"
#include "core/dynamics/scale_bound.h"
#include "core/model/lowered_tree.h"

namespace torqued {

/// Row-major table; see InputArray.
struct LaneInput {
  const void* data;  // null: absent, zeros
  bool f32;
  bool one_row;  // the same row for every state
  int columns;
  const int* places;  // canonical column of each column; null: the same
};

/// Rows of one output as the kernels write them.
struct LaneShape {
  int columns;
  const int* sources;  // index of the result in each column; null: the same
  /// s, if the columns are all s x s entries of a symmetric matrix, whose
  /// packed lower half is the result in the same order; else 0.
  int symmetric;
};

/// See OutputArray.
struct LaneOutput {
  void* data;
  bool f32;
};

/// What is computed for every row, whatever the rows are.
struct BlockSetup {
  Tree tree;
  LoweredTreeOf<double> lowered_f64;
  LoweredTreeOf<float> lowered_f32;

  /// By joint; null: nothing solves with M.
  const ScaleBound* scale_bounds;

  double gravity[3];
  bool viscous_friction;
  bool coulomb_friction;
  double coulomb_smoothing;  // see DynamicsTerms

  /// The tip in its body, and in the body's lowered frame; the bodies from base
  /// to tip. No length: nothing moves it, or no tip is needed.
  BodyFrame tip;
  BodyFrame lowered_tip;
  const int* path;
  int path_length;
  ReferenceFrame reference;
  ReferenceFrame wrench_reference;
  /// Of external wrenches.
  const WrenchPlace* wrench_places;
  int wrench_place_count;

  /// Whether anything of the task is asked for.
  bool task;
  int task_rows;
  int task_axes[6];
  double rank_tolerance;
  double row_scale[6];  // by task row: 1, or 1 / characteristic length
  /// What certifies that the rows are neither round-off nor weak beside the
  /// whole Jacobian: the square of a singular value in the scaling of the frame
  /// (see FrameScale) as each precision finds it, and what the reach is made
  /// of.
  double least_square_f64;
  double least_square_f32;
  double constant_reach;
  const int* sliding;  // prismatic joints on the path
  int sliding_count;

  /// By Output, of those that may be asked for. The mass matrix and Λ are
  /// offered as packed lower halves.
  LaneShape shapes[kOutputCount];
};

/// A part of a job: the quantities that take the same of what not all take (see
/// core/batch/input_groups.h). What else the job has is absent for them.
struct JobPart {
  QuantityBits quantities;  // of those that were asked for
  InputBits absent;         // tables that they do not take
  bool lowered;             // see BlockJob
};
inline constexpr int kMaxInputGroups = 5;

/// A setup with rows. One job serves any number of blocks and threads.
struct BlockJob {
  const BlockSetup* setup;
  bool single_precision;  // compute in float
  LaneInput inputs[kInputCount];
  /// Whether the lowered tree is used where there is a kernel for it; the
  /// general texts take the rest.
  bool lowered;
  /// Whether this job computes the setup's task: Λ and η, or only whether they
  /// are of full rank.
  bool task;
  /// Where there are more than one, each is computed as a job of its own, with
  /// its own `lowered` and `task`.
  int part_count;
  JobPart parts[kMaxInputGroups];
  /// What is computed; of other outputs nothing below is set.
  OutputBits wanted;
  LaneOutput outputs[kOutputCount];
  /// Whether blocks of rows may be put together and written without leaving
  /// them in a cache: long rows, aligned to 64 bytes. Never changes a bit.
  bool past_caches;

  __attribute__((always_inline)) const LaneInput& operator[](
      Input input) const {
    return inputs[static_cast<unsigned>(input)];
  }

  /// Of what is wanted.
  __attribute__((always_inline)) QuantityBits Quantities() const {
    QuantityBits quantities = 0;
    for (OutputBits left = wanted; left != 0; left &= left - 1) {
      quantities |= Bit(QuantityOf(static_cast<Output>(__builtin_ctzll(left))));
    }
    return quantities;
  }
};

/// A row that needs another look by the general text, which decides: an input
/// or a result is not finite, a pivot of the mass matrix is small, or full rank
/// of the task is not certified.
struct DoubtfulRow {
  long long row;
  QuantityBits quantities;  // those in doubt
};

/// The functions of one target.
struct LaneKernels {
  const char* target;
  int lanes_f64;
  int lanes_f32;
  /// Computes rows [begin, end) and returns how many of them are in doubt,
  /// listed in `doubtful`, which has room for all. Their results are
  /// unspecified. `memory`, aligned to 64 bytes, is what a thread works in;
  /// where `bytes` are too few, nothing is computed and minus the number that
  /// is needed is returned.
  long long (*evaluate)(const BlockJob* job, long long begin, long long end,
                        void* memory, long long bytes, DoubtfulRow* doubtful);
};

}  // namespace torqued
