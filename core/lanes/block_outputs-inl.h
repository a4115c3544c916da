// The results of a block: from packs to the caller's tables.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/columns.h"
#include "core/spatial/packed.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
class BlockOutputs {
 public:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  BlockOutputs(const BlockJob& job, Carver& carver) : job_(job) {
    int widest = 0;
    for (int k = 0; k < kOutputCount; ++k) {
      if (!Wants(static_cast<Output>(k))) continue;
      const int columns = job.setup->shapes[k].columns;
      widest = columns > widest ? columns : widest;
    }
    carver.Take(staging_,
                static_cast<unsigned long>(widest) * kLanes * sizeof(double));
  }

  TORQUED_INLINE bool Wants(Output output) const {
    return (job_.wanted & Bit(output)) != 0;
  }

  /// Rows [row, row + count) of a table, whose columns are made of `distinct`
  /// packs. Returns the lanes whose results are not finite there.
  TORQUED_INLINE unsigned Store(Output output, long long row, int count,
                                const P* packs, int distinct) {
    const LaneShape& shape = job_.setup->shapes[static_cast<int>(output)];
    if (!Wants(output) || shape.columns == 0) return 0;
    const LaneOutput& out = job_.outputs[static_cast<int>(output)];
    if (count < kLanes || out.f32 != (sizeof(N) == sizeof(float)) ||
        job_.rows != nullptr) [[unlikely]] {
      return StoreUnusual(output, row, count, packs, distinct);
    }
    N* const rows = static_cast<N*>(out.data) + row * shape.columns;
    if (job_.streaming_stores && MayStream(shape, rows)) {
      N* const staged = reinterpret_cast<N*>(staging_);
      StoreRows(shape, packs, staged, false);
      StreamCopy(staged, rows, BlockBytes(shape));
    } else if (MeetInTheCache(shape)) [[unlikely]] {
      StoreInTiles(shape, packs, rows);
    } else {
      StoreRows(shape, packs, rows, !IsShort(shape));
    }
    Poison<N> poison;
    poison.Add(packs, distinct);
    return LaneBits(poison.lanes());
  }

  /// After the last block.
  void Finish() const {
    if (job_.streaming_stores) StoreFence();
  }

 private:
  /// Short rows fill lines of the cache one after the other as it is.
  static TORQUED_INLINE bool IsShort(const LaneShape& shape) {
    constexpr unsigned long kShortRow = 128;  // bytes
    return static_cast<unsigned long>(shape.columns) * sizeof(N) <= kShortRow;
  }

  /// Rows of whole pages: their lines fall on the same few sets of a cache.
  static TORQUED_INLINE bool MeetInTheCache(const LaneShape& shape) {
    constexpr unsigned long kPage = 4096;
    return static_cast<unsigned long>(shape.columns) * sizeof(N) % kPage == 0;
  }

  static TORQUED_INLINE long BlockBytes(const LaneShape& shape) {
    return static_cast<long>(shape.columns) * kLanes * long(sizeof(N));
  }
  /// Blocks of whole lines that the first cache holds while they are put
  /// together.
  static TORQUED_INLINE bool MayStream(const LaneShape& shape, const N* rows) {
    constexpr long kLine = 64, kLargest = 16 << 10;
    const long bytes = BlockBytes(shape);
    return !IsShort(shape) && bytes <= kLargest && bytes % kLine == 0 &&
           reinterpret_cast<unsigned long>(rows) % kLine == 0;
  }

  /// A full block.
  static TORQUED_INLINE void StoreRows(const LaneShape& shape, const P* packs,
                                       N* rows, bool fetch_ahead) {
    const auto store = [&](auto columns,
                           const auto& source) TORQUED_INLINE_BODY {
      StoreColumns(packs, columns, source, rows, fetch_ahead);
    };
    switch (shape.symmetric) {
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
        WithColumns(shape.columns, shape.permutation, store);
    }
  }

  /// A full block, some lines of one row after some of another.
  __attribute__((noinline)) void StoreInTiles(const LaneShape& shape,
                                              const P* packs, N* rows) {
    constexpr int kTile = 64;
    N* const tile = reinterpret_cast<N*>(staging_);
    for (int begin = 0; begin < shape.columns; begin += kTile) {
      const auto source = [&](int j) TORQUED_INLINE_BODY {
        return shape.permutation ? shape.permutation[begin + j] : begin + j;
      };
      StoreColumns(packs, Int<kTile>{}, source, tile, false);
      for (int l = 0; l < kLanes; ++l) {
        __builtin_memcpy(rows + l * shape.columns + begin, tile + l * kTile,
                         kTile * sizeof(N));
      }
    }
  }

  /// Part of a block, rows of a list, or numbers of another width.
  __attribute__((noinline)) unsigned StoreUnusual(Output output, long long row,
                                                  int count, const P* packs,
                                                  int distinct) {
    const LaneOutput& out = job_.outputs[static_cast<int>(output)];
    if (out.f32) {
      StoreTable(static_cast<float*>(out.data), output, row, count, packs);
    } else {
      StoreTable(static_cast<double*>(out.data), output, row, count, packs);
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
  void StoreTable(Number* table, Output output, long long row, int count,
                  const P* packs) {
    const LaneShape& shape = job_.setup->shapes[static_cast<int>(output)];
    Number* rows = table + job_.RowOfTables(row) * shape.columns;
    if (count == 1) {
      if (!job_.Stores(output, row)) return;
      WithColumns(shape.columns, shape.permutation,
                  [&](auto columns, const auto& source) TORQUED_INLINE_BODY {
                    For(Int<0>{}, columns, [&](auto j) TORQUED_INLINE_BODY {
                      const P& pack = packs[source(j)];
                      Write(static_cast<Number>(pack.v[0]), rows + j);
                    });
                  });
      return;
    }
    const bool staged = count < kLanes || job_.rows != nullptr;
    Number* const to = staged ? reinterpret_cast<Number*>(staging_) : rows;
    if constexpr (sizeof(Number) == sizeof(N)) {
      StoreRows(shape, packs, to, false);
    } else {
      StoreColumnsConverted(packs, shape.columns, shape.permutation, to);
    }
    for (int l = 0; staged && l < count; ++l) {
      if (!job_.Stores(output, row + l)) continue;
      __builtin_memcpy(
          table + job_.RowOfTables(row + l) * shape.columns,
          to + l * shape.columns,
          static_cast<unsigned long>(shape.columns) * sizeof(Number));
    }
  }

  const BlockJob& job_;
  char* staging_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
