// The states of a block: from the caller's tables to packs.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/columns.h"
#include "core/math/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Packs in canonical order. Absent inputs are zeros where they are read; those
/// of one row for all are loaded once.
template <class N>
class BlockInputs {
 public:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  BlockInputs(const BlockJob& job, Arena& arena) : job_(job) {
    const int n = job.setup->tree.n, places = job.setup->wrench_place_count;
    for (int k = 0; k < kInputCount; ++k) {
      arena.Take(packs_[k], static_cast<unsigned long>(SizeOf(k)));
    }
    const int widest = n > 6 * (1 + places) ? n : 6 * (1 + places);
    arena.Take(padded_, static_cast<unsigned long>(widest) * kLanes);
  }

  /// Before the first block.
  void Prepare() {
    constexpr QuantityBits kReadV = ReadersOf(table::kV),
                           kReadA = ReadersOf(table::kA);
    const QuantityBits wanted = job_.Quantities();
    InputBits read = Bit(Input::kQ);
    if (job_.task || (wanted & kReadV) != 0) read |= table::kV;
    if ((wanted & kReadA) != 0) read |= table::kA;
    if (base_moves()) read |= table::kBaseMotion;
    if ((job_.wanted & Bit(Output::kTaskTorque)) != 0) read |= table::kTask;
    for (int k = 0; k < kInputCount; ++k) {
      const KernelInput& in = job_.inputs[k];
      if (in.data == nullptr) {
        if ((read >> k & 1u) == 0) continue;
        P* const packs = packs_[k];
        const int size = SizeOf(k);
        for (int j = 0; j < size; ++j) packs[j] = P(N(0));
      } else if (in.one_row) {
        LoadTable(in, 0, 1, packs_[k], given_once_);
      } else if (in.columns > 0) {
        by_row_[by_row_count_++] = k;
      }
    }
  }

  bool base_moves() const {
    return Has(Input::kBaseTwist) || Has(Input::kBaseAcceleration);
  }
  TORQUED_INLINE bool Has(Input input) const {
    return job_[input].data != nullptr;
  }
  TORQUED_INLINE const P* operator[](Input input) const {
    return packs_[static_cast<int>(input)];
  }
  Twist<P> TwistOf(Input input) const {
    const P* const x = (*this)[input];
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }

  /// Rows [row, row + count); fewer than the lanes at the end, whose last row
  /// then fills all lanes beyond. Returns the lanes with a number that is not
  /// finite; they get zeros instead.
  TORQUED_INLINE unsigned Load(long long row, int count) {
    FiniteCheck<N> checked = given_once_;
    for (int k = 0; k < by_row_count_; ++k) {
      const KernelInput& in = job_.inputs[by_row_[k]];
      LoadTable(in, row, count, packs_[by_row_[k]], checked);
    }
    const Mask<N> bad = checked.not_finite();
    const unsigned lanes = LaneBits(bad);
    if (lanes != 0) [[unlikely]] {
      ZeroLanes(bad);
    }
    return lanes;
  }

 private:
  int SizeOf(int input) const {
    const signed char size = RowOf(static_cast<Input>(input)).shape.sizes[0];
    const BlockSetup& setup = *job_.setup;
    if (size == table::kPlaces) return 6 * setup.wrench_place_count;
    if (size == table::kAxes) return 6;
    return size > 0 ? size : setup.tree.n;
  }

  TORQUED_INLINE void LoadTable(const KernelInput& in, long long row, int count,
                                P* packs, FiniteCheck<N>& checked) {
    if (count == kLanes && job_.rows == nullptr &&
        in.f32 == (sizeof(N) == sizeof(float))) [[likely]] {
      LoadRows(static_cast<const N*>(in.data) + row * in.columns, in, packs,
               checked);
    } else if (in.f32) {
      LoadPadded(static_cast<const float*>(in.data), in, row, count, packs,
                 checked);
    } else {
      LoadPadded(static_cast<const double*>(in.data), in, row, count, packs,
                 checked);
    }
  }

  /// A full block.
  static TORQUED_INLINE void LoadRows(const N* rows, const KernelInput& in,
                                      P* packs, FiniteCheck<N>& checked) {
    WithColumns(in.columns, in.permutation,
                [&](auto columns, const auto& place) TORQUED_INLINE_BODY {
                  LoadColumns(rows, columns, place, packs, checked);
                });
  }

  /// Part of a block, rows of a list, or numbers of another width.
  template <class Number>
  __attribute__((noinline)) void LoadPadded(const Number* table,
                                            const KernelInput& in,
                                            long long row, int count, P* packs,
                                            FiniteCheck<N>& checked) {
    N* to = padded_;
    for (int l = 0; l < kLanes; ++l) {
      const long long k = row + (l < count ? l : count - 1);
      const Number* from =
          table + (in.one_row ? 0 : job_.RowOfTables(k)) * in.columns;
      for (int j = 0; j < in.columns; ++j) *to++ = static_cast<N>(Read(from++));
    }
    LoadRows(padded_, in, packs, checked);
  }

  __attribute__((noinline, cold)) void ZeroLanes(const Mask<N>& lanes) {
    // Numbers that are the same for all rows are loaded once and must stay.
    for (int k = 0; k < by_row_count_; ++k) {
      P* const packs = packs_[by_row_[k]];
      for (int j = 0; j < job_.inputs[by_row_[k]].columns; ++j) {
        packs[j] = Select(lanes, P(N(0)), packs[j]);
      }
    }
  }

  const BlockJob& job_;
  FiniteCheck<N> given_once_;
  P* packs_[kInputCount];
  int by_row_[kInputCount];  // the inputs with a row for every state
  int by_row_count_ = 0;
  N* padded_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
