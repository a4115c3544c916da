// Row-major tables into packs and back: column j of a block of rows becomes one
// pack with one row per lane.
//
// Columns are taken in groups of as many as one piece of a row holds, 16 or 32
// bytes; the transpose happens between registers.
#pragma once

#include "core/math/pack.h"
#include "core/math/static_for.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// A number of a table, which need not be aligned.
template <class Number>
TORQUED_INLINE Number Read(const Number* at) {
  Number x;
  __builtin_memcpy(&x, at, sizeof(x));
  return x;
}
template <class Number>
TORQUED_INLINE void Write(Number x, Number* at) {
  __builtin_memcpy(at, &x, sizeof(x));
}

#if TORQUED_REGISTER_BYTES == 0
template <class N>
inline constexpr int kGroup = 1;

template <class N>
TORQUED_INLINE void LoadGroup(const N* at, long /*stride*/,
                              Pack<N> (&group)[1]) {
  group[0].v = Read(at);
}
template <class N>
TORQUED_INLINE void StoreGroup(Pack<N> (&group)[1], N* at, long /*stride*/) {
  Write(group[0].v, at);
}
#else
template <int... kIntegers>
struct Ints {};
template <int kCount, int... kLast>
constexpr auto IntsBelow() {
  if constexpr (kCount == 0) {
    return Ints<kLast...>{};
  } else {
    return IntsBelow<kCount - 1, kCount - 1, kLast...>();
  }
}

/// kCount numbers, of which number k is number source(k) of a and b, those of b
/// counted on; −1: any.
template <int kCount, class Vector, class Source>
TORQUED_INLINE auto Shuffle(const Vector& a, const Vector& b,
                            const Source& /*source*/) {
  const auto shuffle = [&]<int... k>(Ints<k...>) TORQUED_INLINE_BODY {
    return __builtin_shufflevector(a, b, Source{}(k)...);
  };
  return shuffle(IntsBelow<kCount>());
}

template <class N, int kNumbers>
using Piece __attribute__((vector_size(kNumbers * sizeof(N)))) = N;

/// Piece k of the result, of kNumbers, from row first + k step.
template <int kNumbers, class N>
TORQUED_INLINE auto LoadPieces(const N* at, long stride, int first, int step) {
  constexpr int kLanes = Pack<N>::kLanes;
  Piece<N, kNumbers> piece;
  __builtin_memcpy(&piece, at + first * stride, sizeof(piece));
  const auto widen = [](int l) { return l < kNumbers ? l : -1; };
  auto pieces = Shuffle<kLanes>(piece, piece, widen);
  For(Int<1>{}, Int<kLanes / kNumbers>{}, [&](auto k) TORQUED_INLINE_BODY {
    const N* const from = at + (first + k * step) * stride;
    __builtin_memcpy(&piece, from, sizeof(piece));
    const auto insert = [](int l) {
      return l / kNumbers == decltype(k){} ? Pack<N>::kLanes + l % kNumbers : l;
    };
    pieces =
        Shuffle<kLanes>(pieces, Shuffle<kLanes>(piece, piece, widen), insert);
  });
  return pieces;
}
/// Piece k to row first + k step.
template <int kNumbers, class N, class Vector>
TORQUED_INLINE void StorePieces(const Vector& pieces, N* at, long stride,
                                int first, int step) {
  For(Int<0>{}, Int<Pack<N>::kLanes / kNumbers>{},
      [&](auto k) TORQUED_INLINE_BODY {
        const Piece<N, kNumbers> piece = Shuffle<kNumbers>(
            pieces, pieces, [](int l) { return decltype(k){} * kNumbers + l; });
        N* const to = at + (first + k * step) * stride;
        __builtin_memcpy(to, &piece, sizeof(piece));
      });
}

/// Columns that a piece of 16 bytes of a row holds.
template <class N>
inline constexpr int kGroup = 16 / int(sizeof(N));

/// In every piece of 16 bytes, the square of kGroup x kGroup numbers of as many
/// packs is transposed.
template <class N>
TORQUED_INLINE void Transpose(Pack<N>* group) {
  constexpr int kLanes = Pack<N>::kLanes, kSize = kGroup<N>;
  // The lower halves of two packs' pieces, number by number by turns; and the
  // upper ones.
  const auto lower = [](int l) {
    return l / kGroup<N> * kGroup<N> + l % kGroup<N> / 2 +
           l % 2 * Pack<N>::kLanes;
  };
  const auto upper = [](int l) {
    return l / kGroup<N> * kGroup<N> + (l % kGroup<N> + kGroup<N>) / 2 +
           l % 2 * Pack<N>::kLanes;
  };
#pragma GCC unroll 2
  for (int width = 1; width < kSize; width *= 2) {
    Pack<N> turned[kSize];
#pragma GCC unroll 4
    for (int k = 0; k < kSize; k += 2) {
      const auto &a = group[k / 2].v, &b = group[(k + kSize) / 2].v;
      turned[k].v = Shuffle<kLanes>(a, b, lower);
      turned[k + 1].v = Shuffle<kLanes>(a, b, upper);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kSize; ++k) group[k] = turned[k];
  }
}

/// kWide columns of a full block.
template <class N, int kWide>
TORQUED_INLINE void LoadGroup(const N* at, long stride,
                              Pack<N> (&group)[kWide]) {
  constexpr int kLanes = Pack<N>::kLanes;
  if constexpr (kWide == 1) {
    for (int l = 0; l < kLanes; ++l) group[0].v[l] = Read(at + l * stride);
  } else if constexpr (kWide == kGroup<N>) {
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) {
      group[k].v = LoadPieces<kWide>(at, stride, k, kWide);
    }
    Transpose(group);
  } else {  // 4 of 8 bytes
    // Even rows, then odd ones: the first two of their columns, the others.
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const auto a = LoadPieces<kWide>(at, stride, k, 2);
      const auto b = LoadPieces<kWide>(at, stride, k + kLanes / 2, 2);
      group[k].v =
          Shuffle<kLanes>(a, b, [](int l) { return l / 2 * 4 + l % 2; });
      group[k + 2].v =
          Shuffle<kLanes>(a, b, [](int l) { return l / 2 * 4 + l % 2 + 2; });
    }
    Transpose(group);
    Transpose(group + 2);
  }
}
template <class N, int kWide>
TORQUED_INLINE void StoreGroup(Pack<N> (&group)[kWide], N* at, long stride) {
  constexpr int kLanes = Pack<N>::kLanes;
  if constexpr (kWide == 1) {
    for (int l = 0; l < kLanes; ++l) {
      Write(N(group[0].v[l]), at + l * stride);
    }
  } else if constexpr (kWide == kGroup<N>) {
    Transpose(group);
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) {
      StorePieces<kWide>(group[k].v, at, stride, k, kWide);
    }
  } else {
    Transpose(group);
    Transpose(group + 2);
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const auto &a = group[k].v, &b = group[k + 2].v;
      const auto upper = Shuffle<kLanes>(a, b, [](int l) {
        return l / 4 * 2 + l % 2 + l / 2 % 2 * Pack<N>::kLanes;
      });
      const auto lower = Shuffle<kLanes>(a, b, [](int l) {
        return l / 4 * 2 + l % 2 + l / 2 % 2 * Pack<N>::kLanes +
               Pack<N>::kLanes / 2;
      });
      StorePieces<kWide>(upper, at, stride, k, 2);
      StorePieces<kWide>(lower, at, stride, k + kLanes / 2, 2);
    }
  }
}
#endif

/// Becomes NaN in every lane where an added number is not finite, and stays so.
/// Several sums, because one would be a chain of dependent additions.
template <class N>
class FiniteCheck {
 public:
  static constexpr int kSums = 4;

  TORQUED_INLINE FiniteCheck() {
    for (Pack<N>& sum : sums_) sum = Pack<N>(N(0));
  }
  /// `k` chooses the sum.
  TORQUED_INLINE void Add(int k, const Pack<N>& x) {
    sums_[k % kSums] = sums_[k % kSums] + x * Pack<N>(N(0));
  }
  TORQUED_INLINE void Add(const Pack<N>* x, int count) {
    int k = 0;
    for (; k + kSums <= count; k += kSums) {
#pragma GCC unroll 4
      for (int j = 0; j < kSums; ++j) Add(j, x[k + j]);
    }
    for (; k < count; ++k) Add(0, x[k]);
  }
  TORQUED_INLINE Mask<N> not_finite() const {
    return IsNaN((sums_[0] + sums_[1]) + (sums_[2] + sums_[3]));
  }

 private:
  Pack<N> sums_[kSums];
};

template <int kColumns, int kWide, class Body>
TORQUED_INLINE void CountGroups(Int<kColumns> /*columns*/, Int<kWide> /*width*/,
                                const Body& body) {
  For(Int<0>{}, Int<(kColumns + kWide - 1) / kWide>{}, body);
}
template <int kWide, class Body>
TORQUED_INLINE void CountGroups(int columns, Int<kWide> /*width*/,
                                const Body& body) {
  for (int g = 0; kWide * g < columns; ++g) body(g);
}

/// body(columns to take at a time, as a type, group, first column of it) for
/// all columns; their number is an int or, for code that is unrolled, an Int. A
/// last group that is not whole begins earlier, so that nothing beyond a row is
/// touched.
template <class N, class Columns, class Body>
TORQUED_INLINE void ForGroups(Columns columns, const Body& body) {
  const auto by = [&](auto width) TORQUED_INLINE_BODY {
    CountGroups(columns, width, [&](auto g) TORQUED_INLINE_BODY {
      const int begin = width * g;
      body(width, g, begin + width <= columns ? begin : columns - width);
    });
  };
  if constexpr (TORQUED_REGISTER_BYTES >= 32 && sizeof(N) == sizeof(double)) {
    if (columns >= 4) return by(Int<4>{});
  }
  if (columns >= kGroup<N>) return by(Int<kGroup<N>>{});
  by(Int<1>{});
}

/// Columns of a full block; `place` maps them to packs.
template <class N, class Columns, class Place>
TORQUED_INLINE void LoadColumns(const N* rows, Columns columns,
                                const Place& place, Pack<N>* packs,
                                FiniteCheck<N>& all_checked) {
  FiniteCheck<N> checked = all_checked;  // in registers
  ForGroups<N>(columns,
               [&](auto width, auto /*g*/, int begin) TORQUED_INLINE_BODY {
                 Pack<N> group[width];
                 LoadGroup(rows + begin, columns, group);
#pragma GCC unroll 4
                 for (int k = 0; k < width; ++k) {
                   packs[place(begin + k)] = group[k];
                   checked.Add(k, group[k]);
                 }
               });
  all_checked = checked;
}

/// Columns of a full block, in rows of `stride` numbers. Its lines of the cache
/// are asked for in time where `fetch_ahead` is set: for tables that the first
/// cache does not hold.
template <class N, class Columns, class Source, class Stride>
TORQUED_INLINE void StoreColumns(const Pack<N>* packs, Columns columns,
                                 const Source& source, N* rows, Stride stride,
                                 bool fetch_ahead) {
  constexpr int kLanes = Pack<N>::kLanes;
  constexpr long kNearBytes = 4096, kAheadInRow = 256;
  // The next block's rows, or the same rows further on where they are long.
  const long row_bytes = static_cast<long>(stride) * long(sizeof(N));
  const long block_bytes = row_bytes * kLanes;
  const long ahead = block_bytes < kNearBytes ? block_bytes : kAheadInRow;
  ForGroups<N>(columns, [&](auto width, auto g, int begin) TORQUED_INLINE_BODY {
    Pack<N> group[width];
#pragma GCC unroll 4
    for (int k = 0; k < width; ++k) group[k] = packs[source(begin + k)];
    StoreGroup(group, rows + begin, stride);
    if (fetch_ahead) {
      // As many lines as the group fills, of some of the rows by turns.
      constexpr int kBytes = width * kLanes * int(sizeof(N));
      constexpr int kLines = kBytes < 64 ? 1 : kBytes / 64;
      // An address: behind the table's end it must not be a pointer.
      auto line =
          reinterpret_cast<unsigned long>(rows + begin) +
          static_cast<unsigned long>(ahead + (g * kLines) % kLanes * row_bytes);
#pragma GCC unroll 4
      for (int k = 0; k < kLines; ++k) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        __builtin_prefetch(reinterpret_cast<const void*>(line), 1, 3);
        line += static_cast<unsigned long>(row_bytes);
      }
    }
  });
}

/// Zeros in kColumns columns of a full block, in rows of `stride` numbers.
template <int kColumns, class N>
TORQUED_INLINE void ZeroColumns(N* rows, long stride) {
  using Piece __attribute__((vector_size(kColumns * sizeof(N)))) = N;
  const Piece zeros{};
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    __builtin_memcpy(rows + l * stride, &zeros, sizeof(zeros));
  }
}

/// Calls f(number of columns, map from columns to packs). Without a table it is
/// the identity, and common numbers are types: 6 and 7 joints, and Jacobians of
/// these.
template <class Function>
TORQUED_INLINE void WithColumns(int columns, const int* table,
                                const Function& f) {
  const auto same = [](int j) TORQUED_INLINE_BODY { return j; };
  if (table != nullptr) {
    return f(columns, [table](int j) TORQUED_INLINE_BODY { return table[j]; });
  }
  switch (columns) {
    case 6:
      return f(Int<6>{}, same);
    case 7:
      return f(Int<7>{}, same);
    case 36:
      return f(Int<36>{}, same);
    case 42:
      return f(Int<42>{}, same);
    default:
      return f(columns, same);
  }
}

/// Copies past the caches where the compiler can. `to` is aligned to 64 bytes,
/// `from` to registers, of which `bytes` is a multiple.
TORQUED_INLINE void StreamCopy(const void* from, void* to, long bytes) {
#if defined(TORQUED_INTRINSICS) && __has_builtin(__builtin_nontemporal_store)
  using Register = VectorOf<long long>;
  const auto* const source = static_cast<const Register*>(from);
  auto* const target = static_cast<Register*>(to);
  for (long k = 0; k < bytes / long(sizeof(Register)); ++k) {
    __builtin_nontemporal_store(source[k], target + k);
  }
#else
  __builtin_memcpy(to, from, static_cast<unsigned long>(bytes));
#endif
}

/// Makes what StreamCopy wrote visible to other threads.
TORQUED_INLINE void StoreFence() {
#if defined(TORQUED_INTRINSICS)
  _mm_sfence();
#endif
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
