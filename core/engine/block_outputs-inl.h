// The results of a block: from packs to the caller's tables.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/columns.h"
#include "core/math/packed.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
class BlockOutputs {
 public:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  BlockOutputs(const BlockJob& job, Arena& arena) : job_(job) {
    int widest = 0;
    for (int k = 0; k < kOutputCount; ++k) {
      if (!Wants(static_cast<Output>(k))) continue;
      const int columns = job.setup->shapes[k].columns;
      widest = columns > widest ? columns : widest;
    }
    arena.Take(staging_, static_cast<unsigned long>(widest) * kLanes);
  }

  TORQUED_INLINE bool Wants(Output output) const {
    return (job_.wanted & Bit(output)) != 0;
  }

  /// Rows [row, row + count) of a table, whose columns are made of `distinct`
  /// packs. Returns the lanes whose results are not finite there.
  TORQUED_INLINE unsigned Store(Output output, long long row, int count,
                                const P* packs, int distinct) {
    const KernelShape& shape = job_.setup->shapes[static_cast<int>(output)];
    if (!Wants(output) || shape.columns == 0) return 0;
    const KernelOutput& out = job_.outputs[static_cast<int>(output)];
    if (count < kLanes || out.f32 != (sizeof(N) == sizeof(float)) ||
        job_.rows != nullptr) [[unlikely]] {
      return StoreRowByRow(output, row, count, packs, distinct);
    }
    // Blocks of whole lines that the first cache holds while they are put
    // together.
    constexpr long kLine = 64, kLargestStreamed = 16 << 10;
    // Short rows fill lines of the cache one after the other as it is.
    constexpr long kShortRow = 128;
    // Lines of rows of whole pages fall on the same few sets of a cache.
    constexpr long kPage = 4096, kTileOfRow = 512;
    N* const rows = static_cast<N*>(out.data) + row * shape.columns;
    const long row_bytes = static_cast<long>(shape.columns) * long(sizeof(N));
    const long bytes = row_bytes * kLanes;
    const bool streams = job_.streaming_stores && row_bytes > kShortRow &&
                         reinterpret_cast<unsigned long>(rows) % kLine == 0;
    if (streams && bytes <= kLargestStreamed && bytes % kLine == 0) {
      StoreRows(shape, packs, staging_, false);
      StreamCopy(staging_, rows, bytes);
    } else if (streams && row_bytes % kLine == 0) {
      StoreInTiles(shape, packs, rows, kLargestStreamed / kLanes, true);
    } else if (row_bytes % kPage == 0) [[unlikely]] {
      StoreInTiles(shape, packs, rows, kTileOfRow, false);
    } else {
      StoreRows(shape, packs, rows, row_bytes > kShortRow);
    }
    return NotFinite(shape, packs, distinct);
  }

  /// After the last block.
  void Finish() const {
    if (job_.streaming_stores) StoreFence();
  }

 private:
  /// A full block.
  static TORQUED_INLINE void StoreRows(const KernelShape& shape, const P* packs,
                                       N* rows, bool fetch_ahead) {
    const auto store = [&](auto columns,
                           const auto& source) TORQUED_INLINE_BODY {
      StoreColumns(packs, columns, source, rows, columns, fetch_ahead);
    };
    if (shape.zeros != nullptr) {
      return StorePart(shape, packs, 0, shape.columns, rows, shape.columns,
                       fetch_ahead);
    }
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

  /// Columns [begin, end) of a full block, to the beginning of rows of `stride`
  /// numbers; piece by piece if some are known to be zeros.
  static __attribute__((noinline)) void StorePart(const KernelShape& shape,
                                                  const P* packs, int begin,
                                                  int end, N* rows, int stride,
                                                  bool fetch_ahead) {
    const auto store = [&](int from, auto columns) TORQUED_INLINE_BODY {
      N* const to = rows + (from - begin);
      if (shape.permutation == nullptr) {
        const auto same = [](int j) TORQUED_INLINE_BODY { return j; };
        return StoreColumns(packs + from, columns, same, to, stride,
                            fetch_ahead);
      }
      const int* const table = shape.permutation + from;
      StoreColumns(
          packs, columns,
          [table](int j) TORQUED_INLINE_BODY { return table[j]; }, to, stride,
          fetch_ahead);
    };
    if (shape.zeros == nullptr) return store(begin, end - begin);
    constexpr int kPiece = KernelShape::kPiece;
    int from = begin;
    for (; from + kPiece <= end; from += kPiece) {
      if (shape.zeros[from / kPiece] != 0) {
        ZeroColumns<kPiece>(rows + (from - begin), stride);
      } else {
        store(from, Int<kPiece>{});
      }
    }
    if (from < end) store(from, end - from);
  }

  /// A full block, some lines of one row after some of another.
  __attribute__((noinline)) void StoreInTiles(const KernelShape& shape,
                                              const P* packs, N* rows,
                                              long bytes_of_row, bool stream) {
    const int most = static_cast<int>(bytes_of_row / long(sizeof(N)));
    for (int begin = 0; begin < shape.columns; begin += most) {
      const int left = shape.columns - begin, size = left < most ? left : most;
      const long bytes = size * long(sizeof(N));
      StorePart(shape, packs, begin, begin + size, staging_, size, false);
      for (int l = 0; l < kLanes; ++l) {
        const N* const from = staging_ + l * size;
        N* const to = rows + static_cast<long>(l) * shape.columns + begin;
        if (stream) {
          StreamCopy(from, to, bytes);
        } else {
          __builtin_memcpy(to, from, static_cast<unsigned long>(bytes));
        }
      }
    }
  }

  static TORQUED_INLINE unsigned NotFinite(const KernelShape& shape,
                                           const P* packs, int count) {
    FiniteCheck<N> checked;
    constexpr int kPiece = KernelShape::kPiece;
    int k = 0;
    if (shape.zeros != nullptr && shape.permutation == nullptr) {
      for (; k + kPiece <= count; k += kPiece) {
        if (shape.zeros[k / kPiece] == 0) checked.Add(packs + k, kPiece);
      }
    }
    checked.Add(packs + k, count - k);
    return LaneBits(checked.not_finite());
  }

  /// Part of a block, rows of a list, or numbers of another width.
  __attribute__((noinline)) unsigned StoreRowByRow(Output output, long long row,
                                                   int count, const P* packs,
                                                   int distinct) {
    const KernelShape& shape = job_.setup->shapes[static_cast<int>(output)];
    const KernelOutput& out = job_.outputs[static_cast<int>(output)];
    StoreRows(shape, packs, staging_, false);
    for (int l = 0; l < count; ++l) {
      if (!job_.Stores(output, row + l)) continue;
      const N* const from = staging_ + l * shape.columns;
      const long long at = job_.RowOfTables(row + l) * shape.columns;
      if (out.f32) {
        Copy(from, shape.columns, static_cast<float*>(out.data) + at);
      } else {
        Copy(from, shape.columns, static_cast<double*>(out.data) + at);
      }
    }
    if (!out.f32 || sizeof(N) == sizeof(float)) {
      return NotFinite(shape, packs, distinct);
    }
    // Beyond this a number rounds to infinity in single precision.
    const P limit(N(3.4028235677973366e38));
    Mask<N> sound = !Mask<N>::None();
    for (int k = 0; k < distinct; ++k) {
      sound = sound & (Abs(packs[k]) < limit);
    }
    return LaneBits(!sound);
  }

  template <class Number>
  static void Copy(const N* from, int count, Number* to) {
    for (int j = 0; j < count; ++j) Write(static_cast<Number>(from[j]), to + j);
  }

  const BlockJob& job_;
  N* staging_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
