// The work of a unit compiled for one instruction set, and the table of
// functions that it offers: pointers, numbers and plain structs, because
// nothing else may cross between units of different targets.
#pragma once

#include "core/dynamics/quantity.h"
#include "core/tree/compiled_tree.h"

namespace torqued {

/// Row-major table; see InputArray.
struct KernelInput {
  const void* data;  // null: absent, zeros
  bool f32;
  bool one_row;  // the same row for every state
  int columns;
  const int* permutation;  // canonical column of each column; null: the same
};

/// Rows of one output as the kernels write them.
struct KernelShape {
  int columns;
  const int* permutation;  // index of each column's result; null: the same
  /// s, if the columns are all s x s entries of a symmetric matrix, whose
  /// packed lower half is the result in the same order; else 0.
  int symmetric;
  /// By piece of so many columns, of those that are whole: whether it is zero
  /// at every state. Null: none is.
  static constexpr int kPiece = 8;
  const unsigned char* zeros = nullptr;
};

/// See OutputArray.
struct KernelOutput {
  void* data;
  bool f32;
};

/// A frame on a body, in {body'}, at the end of `path` from the base, and the
/// reference frame of what is given or found there.
struct FramePath {
  BodyFrame frame;
  ReferenceFrame reference;
  const int* path;
  int path_length;
};

/// Settings that are the same for every row.
struct BlockSetup {
  Tree tree;
  CompiledTree<double> compiled_f64;
  CompiledTree<float> compiled_f32;

  /// By joint; null: nothing solves with M.
  const ScaleBound* scale_bounds;

  double gravity[3];
  bool viscous_friction;
  bool coulomb_friction;
  double coulomb_smoothing;  // see DynamicsTerms

  /// No length: nothing moves the tip, or none is needed.
  FramePath tip;
  ReferenceFrame wrench_reference;  // of the tip's wrench
  /// Paths of external wrenches.
  const FramePath* wrench_places;
  int wrench_place_count;

  /// Whether anything of the task is asked for.
  bool task;
  int task_rows;
  int task_axes[6];
  double row_scale[6];  // by task row: 1, or 1 / characteristic length
  double linear_scale;  // 1 / characteristic length
  /// Certifies full rank, by precision: the least singular value as a share of
  /// the norm of the whole Jacobian, and of the distances from the base's
  /// origin to the frame, `constant_reach` and |q| of sliding joints on the
  /// way.
  double least_share_f64, least_share_f32;
  double least_of_reach_f64, least_of_reach_f32;  // 1/m
  double constant_reach;                          // m
  const int* sliding;
  int sliding_count;

  /// By Output, of those that may be asked for. The mass matrix and Λ are
  /// offered as packed lower halves.
  KernelShape shapes[kOutputCount];
};

/// A row that needs another look: an input or a result is not finite, a pivot
/// of the mass matrix is small, or full rank of the task is not certified.
struct FallbackRow {
  long long row;
  QuantityBits quantities;  // those in doubt
};

/// A setup with rows. One job serves any number of blocks and threads.
struct BlockJob {
  const BlockSetup* setup;
  bool single_precision;  // compute in float
  /// Null: row k is row k of the tables; else it is row rows[k].row, of which
  /// the quantities there are stored.
  const FallbackRow* rows;
  KernelInput inputs[kInputCount];
  /// Whether this job computes the setup's task: Λ and η, or only whether they
  /// are of full rank.
  bool task;
  /// The outputs that are computed. For others nothing below is set.
  OutputBits wanted;
  KernelOutput outputs[kOutputCount];
  /// Whether blocks of rows may be put together and written without leaving
  /// them in a cache: long rows, aligned to 64 bytes. Never changes a bit.
  bool streaming_stores;

  __attribute__((always_inline)) const KernelInput& operator[](
      Input input) const {
    return inputs[static_cast<unsigned>(input)];
  }

  __attribute__((always_inline)) long long RowOfTables(long long k) const {
    return rows == nullptr ? k : rows[k].row;
  }
  __attribute__((always_inline)) bool Stores(Output output, long long k) const {
    return rows == nullptr ||
           (rows[k].quantities & Bit(QuantityOf(output))) != 0;
  }

  /// Quantities of the wanted outputs.
  __attribute__((always_inline)) QuantityBits Quantities() const {
    QuantityBits quantities = 0;
    for (OutputBits left = wanted; left != 0; left &= left - 1) {
      quantities |= Bit(QuantityOf(static_cast<Output>(__builtin_ctzll(left))));
    }
    return quantities;
  }
};

/// The functions of one target.
struct SimdKernels {
  const char* target;
  int lanes_f64;
  int lanes_f32;
  /// Computes rows [begin, end) and returns how many of them are in doubt,
  /// listed in `fallback`, which has room for all. Their results are
  /// unspecified. `memory`, aligned to 64 bytes, is what a thread works in;
  /// where `bytes` are too few, nothing is computed and minus the number that
  /// is needed is returned.
  long long (*evaluate)(const BlockJob* job, long long begin, long long end,
                        void* memory, long long bytes, FallbackRow* fallback);
  /// Row 0 of a job of double precision that `evaluate` has computed in this
  /// memory, which has not been used since. The addresses of its tables may
  /// have changed. The rest of the job must be the same.
  long long (*again)(void* memory, FallbackRow* fallback);
  /// The same in double precision, one state at a time: compiled by Clang, bit
  /// by bit what a lane has.
  const SimdKernels* one_lane;
};

}  // namespace torqued
