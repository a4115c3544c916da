// The results of a block: from packs to the caller's tables.
#pragma once

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

  BlockOutputs(const BlockJob& job, Carver& carver) : path_(job.store_path) {
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
    const bool in_one_go = path_ != StorePath::kDirect && !IsShort(out);
    Poison<N> poison;
    StoreColumns(packs, out.columns, out.sources,
                 in_one_go ? reinterpret_cast<N*>(staging_) : rows, poison);
    if (in_one_go) CopyBlock(rows, static_cast<long>(out.columns) * kLanes);
    return LaneBits(poison.lanes());
  }

  /// After the last block.
  void Finish() const {
    if (path_ == StorePath::kPastCaches) FenceCopies();
  }

 private:
  /// Short rows fill lines of the cache one after the other as it is.
  static TORQUED_INLINE bool IsShort(const LaneOutput& out) {
    constexpr unsigned long kShortRow = 128;  // bytes
    return static_cast<unsigned long>(out.columns) * sizeof(N) <= kShortRow;
  }

  TORQUED_INLINE void CopyBlock(N* rows, long numbers) const {
    const long bytes = numbers * static_cast<long>(sizeof(N));
    if (path_ == StorePath::kPastCaches && bytes % 64 == 0 &&
        reinterpret_cast<unsigned long>(rows) % 64 == 0) {
      CopyPastCaches(staging_, rows, bytes);
    } else {
      CopyRegisters(staging_, rows, bytes);
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
      WithColumnMap(out.sources, [&](const auto& source) TORQUED_INLINE_BODY {
        for (int j = 0; j < out.columns; ++j) {
          Write(static_cast<Number>(packs[source(j)].v[0]), rows + j);
        }
      });
      return;
    }
    Number* const to =
        count < kLanes ? reinterpret_cast<Number*>(staging_) : rows;
    if constexpr (sizeof(Number) == sizeof(N)) {
      Poison<N> unused;
      StoreColumns(packs, out.columns, out.sources, to, unused);
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

  const StorePath path_;
  char* staging_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
