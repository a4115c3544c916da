// The results of a block: from packs to the caller's tables.
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/columns.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
class BlockOutputs {
 public:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  BlockOutputs(const BlockJob& job, Carver& carver)
      : past_caches_(job.past_caches) {
    const LaneOutput* const tables[] = {
        &job.tau_out, &job.mass_matrix, &job.acceleration,
        &job.bias,    &job.pose,        &job.jacobian,
        &job.drift,   &job.lambda,      &job.eta};
    int widest = 0;
    for (const LaneOutput* out : tables) {
      widest = out->columns > widest ? out->columns : widest;
    }
    carver.Take(staging_,
                static_cast<unsigned long>(widest) * kLanes * sizeof(double));
  }

  /// Rows [row, row + count) of a table, whose columns are made of `distinct`
  /// packs. Returns the lanes whose results are not finite there.
  TORQUED_INLINE unsigned Store(const LaneOutput& out, long long row, int count,
                                const P* packs, int distinct) {
    if (out.data == nullptr || out.columns == 0) return 0;
    if (count < kLanes || out.f32 != (sizeof(N) == sizeof(float)))
        [[unlikely]] {
      return StoreUnusual(out, row, count, packs, distinct);
    }
    N* const rows = static_cast<N*>(out.data) + row * out.columns;
    if (past_caches_ && MayPassCaches(out, rows)) {
      N* const staged = reinterpret_cast<N*>(staging_);
      StoreRows(out, packs, staged, false);
      CopyPastCaches(staged, rows, BlockBytes(out));
    } else {
      StoreRows(out, packs, rows, !IsShort(out));
    }
    Poison<N> poison;
    poison.Add(packs, distinct);
    return LaneBits(poison.lanes());
  }

  /// After the last block.
  void Finish() const {
    if (past_caches_) FenceCopies();
  }

 private:
  /// Short rows fill lines of the cache one after the other as it is.
  static TORQUED_INLINE bool IsShort(const LaneOutput& out) {
    constexpr unsigned long kShortRow = 128;  // bytes
    return static_cast<unsigned long>(out.columns) * sizeof(N) <= kShortRow;
  }

  static TORQUED_INLINE long BlockBytes(const LaneOutput& out) {
    return static_cast<long>(out.columns) * kLanes * long(sizeof(N));
  }
  /// Blocks of whole lines that the first cache holds while they are put
  /// together.
  static TORQUED_INLINE bool MayPassCaches(const LaneOutput& out,
                                           const N* rows) {
    constexpr long kLine = 64, kLargest = 16 << 10;
    const long bytes = BlockBytes(out);
    return !IsShort(out) && bytes <= kLargest && bytes % kLine == 0 &&
           reinterpret_cast<unsigned long>(rows) % kLine == 0;
  }

  /// A full block.
  static TORQUED_INLINE void StoreRows(const LaneOutput& out, const P* packs,
                                       N* rows, bool fetch_ahead) {
    const auto store = [&](auto columns,
                           const auto& source) TORQUED_INLINE_BODY {
      StoreColumns(packs, columns, source, rows, fetch_ahead);
    };
    switch (out.symmetric) {
      case 6:
        store(Int<36>{}, [](int j) TORQUED_INLINE_BODY {
          return PackedEntry(j / 6, j % 6);
        });
        return;
      case 7:
        store(Int<49>{}, [](int j) TORQUED_INLINE_BODY {
          return PackedEntry(j / 7, j % 7);
        });
        return;
      default:
        WithColumns(out.columns, out.sources, store);
    }
  }

  /// Part of a block, or numbers of another width.
  __attribute__((noinline)) unsigned StoreUnusual(const LaneOutput& out,
                                                  long long row, int count,
                                                  const P* packs,
                                                  int distinct) {
    if (out.f32) {
      StoreTable(static_cast<float*>(out.data), out, row, count, packs);
    } else {
      StoreTable(static_cast<double*>(out.data), out, row, count, packs);
    }
    return NotFinite(packs, distinct, out.f32);
  }

  static unsigned NotFinite(const P* packs, int count, bool in_single) {
    if (in_single && sizeof(N) == 8) {
      // Beyond this a number rounds to infinity in single precision.
      const P limit(N(3.4028235677973366e38));
      Mask<N> sound = !Mask<N>::None();
      for (int k = 0; k < count; ++k) sound = sound & (Abs(packs[k]) < limit);
      return LaneBits(!sound);
    }
    Poison<N> poison;
    poison.Add(packs, count);
    return LaneBits(poison.lanes());
  }

  template <class Number>
  void StoreTable(Number* table, const LaneOutput& out, long long row,
                  int count, const P* packs) {
    Number* rows = table + row * out.columns;
    if (count == 1) {
      WithColumns(out.columns, out.sources,
                  [&](auto columns, const auto& source) TORQUED_INLINE_BODY {
                    For(Int<0>{}, columns, [&](auto j) TORQUED_INLINE_BODY {
                      const P& pack = packs[source(j)];
                      Write(static_cast<Number>(pack.v[0]), rows + j);
                    });
                  });
      return;
    }
    Number* const to =
        count < kLanes ? reinterpret_cast<Number*>(staging_) : rows;
    if constexpr (sizeof(Number) == sizeof(N)) {
      StoreRows(out, packs, to, false);
    } else {
      StoreColumnsConverted(packs, out.columns, out.sources, to);
    }
    if (to != rows) {
      __builtin_memcpy(rows, staging_,
                       static_cast<unsigned long>(count) *
                           static_cast<unsigned long>(out.columns) *
                           sizeof(Number));
    }
  }

  const bool past_caches_;
  char* staging_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
