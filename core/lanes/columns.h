// Row-major tables into packs and back: column j of a block of rows becomes one
// pack with one row per lane.
//
// Columns are taken in groups of as many as one piece of a row holds, 16 or 32
// bytes; the transpose happens between registers.
#pragma once

#include "core/lanes/pack.h"
#include "core/spatial/static_for.h"

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
#else
/// Columns that a piece of 16 bytes of a row holds.
template <class N>
inline constexpr int kGroup = 16 / int(sizeof(N));

/// Piece k of the result from row first + kGroup k.
template <class N>
TORQUED_INLINE Pack<N> LoadPieces(const N* at, long stride, int first) {
#if defined(TORQUED_INTRINSICS)
  constexpr int kStep = kGroup<N>;
  const auto piece = [=](int k) {
    return _mm_loadu_pd(
        reinterpret_cast<const double*>(at + (first + kStep * k) * stride));
  };
#if TORQUED_REGISTER_BYTES == 64
  __m512d v = _mm512_castpd128_pd512(piece(0));
  v = _mm512_insertf64x2(v, piece(1), 1);
  v = _mm512_insertf64x2(v, piece(2), 2);
  v = _mm512_insertf64x2(v, piece(3), 3);
  return Pack<N>::Of((typename Pack<N>::Vector)v);
#elif TORQUED_REGISTER_BYTES == 32
  __m256d v = _mm256_castpd128_pd256(piece(0));
  v = _mm256_insertf128_pd(v, piece(1), 1);
  return Pack<N>::Of((typename Pack<N>::Vector)v);
#else
  return Pack<N>::Of((typename Pack<N>::Vector)piece(0));
#endif
#else
  Pack<N> p;
  __builtin_memcpy(&p, at + first * stride, sizeof(p));
  return p;
#endif
}

/// Piece k into row first + kGroup k.
template <class N>
TORQUED_INLINE void StorePieces(const Pack<N>& p, N* at, long stride,
                                int first) {
#if defined(TORQUED_INTRINSICS)
  constexpr int kStep = kGroup<N>;
  const auto place = [=](int k) {
    return reinterpret_cast<double*>(at + (first + kStep * k) * stride);
  };
#if TORQUED_REGISTER_BYTES == 64
  const __m512d v = (__m512d)p.v;
  _mm_storeu_pd(place(0), _mm512_castpd512_pd128(v));
  _mm_storeu_pd(place(1), _mm512_extractf64x2_pd(v, 1));
  _mm_storeu_pd(place(2), _mm512_extractf64x2_pd(v, 2));
  _mm_storeu_pd(place(3), _mm512_extractf64x2_pd(v, 3));
#elif TORQUED_REGISTER_BYTES == 32
  const __m256d v = (__m256d)p.v;
  _mm_storeu_pd(place(0), _mm256_castpd256_pd128(v));
  _mm_storeu_pd(place(1), _mm256_extractf128_pd(v, 1));
#else
  _mm_storeu_pd(place(0), (__m128d)p.v);
#endif
#else
  __builtin_memcpy(at + first * stride, &p, sizeof(p));
#endif
}

/// In every piece, the square of kGroup x kGroup numbers is transposed; its own
/// inverse.
TORQUED_INLINE void TransposePieces(Pack<double> (&g)[2]) {
#if TORQUED_REGISTER_BYTES == 64
  const __m512d a = g[0].v, b = g[1].v;
  g[0].v = _mm512_unpacklo_pd(a, b);
  g[1].v = _mm512_unpackhi_pd(a, b);
#elif TORQUED_REGISTER_BYTES == 32
  const __m256d a = g[0].v, b = g[1].v;
  g[0].v = _mm256_unpacklo_pd(a, b);
  g[1].v = _mm256_unpackhi_pd(a, b);
#else
  const Pack<double> a = g[0], b = g[1];
  g[0].v = __builtin_shufflevector(a.v, b.v, 0, 2);
  g[1].v = __builtin_shufflevector(a.v, b.v, 1, 3);
#endif
}
TORQUED_INLINE void TransposePieces(Pack<float> (&g)[4]) {
#if TORQUED_REGISTER_BYTES == 64
  const __m512d a = (__m512d)_mm512_unpacklo_ps(g[0].v, g[1].v);
  const __m512d b = (__m512d)_mm512_unpacklo_ps(g[2].v, g[3].v);
  const __m512d c = (__m512d)_mm512_unpackhi_ps(g[0].v, g[1].v);
  const __m512d d = (__m512d)_mm512_unpackhi_ps(g[2].v, g[3].v);
  g[0].v = (__m512)_mm512_unpacklo_pd(a, b);
  g[1].v = (__m512)_mm512_unpackhi_pd(a, b);
  g[2].v = (__m512)_mm512_unpacklo_pd(c, d);
  g[3].v = (__m512)_mm512_unpackhi_pd(c, d);
#elif TORQUED_REGISTER_BYTES == 32
  const __m256d a = (__m256d)_mm256_unpacklo_ps(g[0].v, g[1].v);
  const __m256d b = (__m256d)_mm256_unpacklo_ps(g[2].v, g[3].v);
  const __m256d c = (__m256d)_mm256_unpackhi_ps(g[0].v, g[1].v);
  const __m256d d = (__m256d)_mm256_unpackhi_ps(g[2].v, g[3].v);
  g[0].v = (__m256)_mm256_unpacklo_pd(a, b);
  g[1].v = (__m256)_mm256_unpackhi_pd(a, b);
  g[2].v = (__m256)_mm256_unpacklo_pd(c, d);
  g[3].v = (__m256)_mm256_unpackhi_pd(c, d);
#else
  const auto a = __builtin_shufflevector(g[0].v, g[1].v, 0, 4, 1, 5);
  const auto b = __builtin_shufflevector(g[2].v, g[3].v, 0, 4, 1, 5);
  const auto c = __builtin_shufflevector(g[0].v, g[1].v, 2, 6, 3, 7);
  const auto d = __builtin_shufflevector(g[2].v, g[3].v, 2, 6, 3, 7);
  g[0].v = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  g[1].v = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  g[2].v = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  g[3].v = __builtin_shufflevector(c, d, 2, 3, 6, 7);
#endif
}

/// kGroup columns of a full block.
template <class N>
TORQUED_INLINE void LoadGroup(const N* at, long stride,
                              Pack<N> (&group)[kGroup<N>]) {
#pragma GCC unroll 4
  for (int k = 0; k < kGroup<N>; ++k) group[k] = LoadPieces(at, stride, k);
  TransposePieces(group);
}
template <class N>
TORQUED_INLINE void StoreGroup(Pack<N> (&group)[kGroup<N>], N* at,
                               long stride) {
  TransposePieces(group);
#pragma GCC unroll 4
  for (int k = 0; k < kGroup<N>; ++k) StorePieces(group[k], at, stride, k);
}
#endif

/// One column.
template <class N>
TORQUED_INLINE void LoadGroup(const N* at, long stride, Pack<N> (&group)[1]) {
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    group[0].v[l] = Read(at + l * stride);
  }
}
template <class N>
TORQUED_INLINE void StoreGroup(Pack<N> (&group)[1], N* at, long stride) {
  for (int l = 0; l < Pack<N>::kLanes; ++l) {
    Write(N(group[0].v[l]), at + l * stride);
  }
}

#if TORQUED_REGISTER_BYTES == 64
#define TORQUED_WIDE_GROUP 1
/// Four columns by pieces of 32 bytes.
TORQUED_INLINE void LoadGroup(const double* at, long stride,
                              Pack<double> (&group)[4]) {
  const auto rows = [=](int first, int second) TORQUED_INLINE_BODY {
    return _mm512_insertf64x4(
        _mm512_castpd256_pd512(_mm256_loadu_pd(at + first * stride)),
        _mm256_loadu_pd(at + second * stride), 1);
  };
  const __m512d even = rows(0, 2), even_on = rows(4, 6);
  const __m512d odd = rows(1, 3), odd_on = rows(5, 7);
  // Columns 0 and 1, 2 and 3 of the even and of the odd rows.
  const __m512d even01 = _mm512_shuffle_f64x2(even, even_on, 0x88);
  const __m512d even23 = _mm512_shuffle_f64x2(even, even_on, 0xdd);
  const __m512d odd01 = _mm512_shuffle_f64x2(odd, odd_on, 0x88);
  const __m512d odd23 = _mm512_shuffle_f64x2(odd, odd_on, 0xdd);
  group[0].v = _mm512_unpacklo_pd(even01, odd01);
  group[1].v = _mm512_unpackhi_pd(even01, odd01);
  group[2].v = _mm512_unpacklo_pd(even23, odd23);
  group[3].v = _mm512_unpackhi_pd(even23, odd23);
}
TORQUED_INLINE void StoreGroup(Pack<double> (&group)[4], double* at,
                               long stride) {
  const __m512i lower = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i upper = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  const auto rows = [=](int first, int second, __m512d v) TORQUED_INLINE_BODY {
    _mm256_storeu_pd(at + first * stride, _mm512_castpd512_pd256(v));
    _mm256_storeu_pd(at + second * stride, _mm512_extractf64x4_pd(v, 1));
  };
  const __m512d even01 = _mm512_unpacklo_pd(group[0].v, group[1].v);
  const __m512d odd01 = _mm512_unpackhi_pd(group[0].v, group[1].v);
  const __m512d even23 = _mm512_unpacklo_pd(group[2].v, group[3].v);
  const __m512d odd23 = _mm512_unpackhi_pd(group[2].v, group[3].v);
  rows(0, 2, _mm512_permutex2var_pd(even01, lower, even23));
  rows(1, 3, _mm512_permutex2var_pd(odd01, lower, odd23));
  rows(4, 6, _mm512_permutex2var_pd(even01, upper, even23));
  rows(5, 7, _mm512_permutex2var_pd(odd01, upper, odd23));
}
#elif TORQUED_REGISTER_BYTES == 32
#define TORQUED_WIDE_GROUP 1
TORQUED_INLINE void LoadGroup(const double* at, long stride,
                              Pack<double> (&group)[4]) {
  const auto rows = [=](int first, int column) TORQUED_INLINE_BODY {
    const double* piece = at + first * stride + column;
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(piece)),
                                _mm_loadu_pd(piece + 2 * stride), 1);
  };
  const __m256d even01 = rows(0, 0), even23 = rows(0, 2);
  const __m256d odd01 = rows(1, 0), odd23 = rows(1, 2);
  group[0].v = _mm256_unpacklo_pd(even01, odd01);
  group[1].v = _mm256_unpackhi_pd(even01, odd01);
  group[2].v = _mm256_unpacklo_pd(even23, odd23);
  group[3].v = _mm256_unpackhi_pd(even23, odd23);
}
TORQUED_INLINE void StoreGroup(Pack<double> (&group)[4], double* at,
                               long stride) {
  const __m256d even01 = _mm256_unpacklo_pd(group[0].v, group[1].v);
  const __m256d odd01 = _mm256_unpackhi_pd(group[0].v, group[1].v);
  const __m256d even23 = _mm256_unpacklo_pd(group[2].v, group[3].v);
  const __m256d odd23 = _mm256_unpackhi_pd(group[2].v, group[3].v);
  _mm256_storeu_pd(at, _mm256_permute2f128_pd(even01, even23, 0x20));
  _mm256_storeu_pd(at + stride, _mm256_permute2f128_pd(odd01, odd23, 0x20));
  _mm256_storeu_pd(at + 2 * stride,
                   _mm256_permute2f128_pd(even01, even23, 0x31));
  _mm256_storeu_pd(at + 3 * stride, _mm256_permute2f128_pd(odd01, odd23, 0x31));
}
#endif

/// Becomes NaN in every lane where an added number is not finite, and stays so.
/// Several sums, because one would be a chain of dependent additions.
template <class N>
class Poison {
 public:
  static constexpr int kSums = 4;

  TORQUED_INLINE Poison() {
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
  TORQUED_INLINE Mask<N> lanes() const {
    return IsNaN((sums_[0] + sums_[1]) + (sums_[2] + sums_[3]));
  }

 private:
  Pack<N> sums_[kSums];
};

/// The first column of a group of kWide, of which there is at least one. A last
/// group that is not whole begins earlier, so that nothing beyond a row is
/// touched.
template <int kWide>
TORQUED_INLINE constexpr int GroupBegin(int group, int columns) {
  const int begin = kWide * group;
  return begin + kWide <= columns ? begin : columns - kWide;
}
/// body(group, first column) for all groups.
template <int kWide, int kColumns, class Body>
TORQUED_INLINE void ForGroups(Int<kColumns> /*columns*/, const Body& body) {
  For(Int<0>{}, Int<(kColumns + kWide - 1) / kWide>{},
      [&](auto g) TORQUED_INLINE_BODY {
        constexpr int kBegin = GroupBegin<kWide>(decltype(g){}, kColumns);
        body(g, Int<kBegin>{});
      });
}
template <int kWide, class Body>
TORQUED_INLINE void ForGroups(int columns, const Body& body) {
  for (int g = 0; kWide * g < columns; ++g) {
    body(g, GroupBegin<kWide>(g, columns));
  }
}

/// Calls f with the columns to take at a time, as a type, or with 1.
template <class N, class Function>
TORQUED_INLINE void WithGroupWidth(int columns, const Function& f) {
#ifdef TORQUED_WIDE_GROUP
  if constexpr (sizeof(N) == sizeof(double)) {
    if (columns >= 4) return f(Int<4>{});
  }
#endif
  if (columns >= kGroup<N>) return f(Int<kGroup<N>>{});
  f(Int<1>{});
}

/// Columns of a full block; their number is an int or, for code that is
/// unrolled, an Int. `place` maps them to packs.
template <class N, class Columns, class Place>
TORQUED_INLINE void LoadColumns(const N* rows, Columns columns,
                                const Place& place, Pack<N>* packs,
                                Poison<N>& all_poison) {
  Poison<N> poison = all_poison;  // in registers
  WithGroupWidth<N>(columns, [&](auto width) TORQUED_INLINE_BODY {
    constexpr int kWide = decltype(width){};
    ForGroups<kWide>(columns, [&](auto /*g*/, auto begin) TORQUED_INLINE_BODY {
      Pack<N> group[kWide];
      LoadGroup(rows + begin, columns, group);
#pragma GCC unroll 4
      for (int k = 0; k < kWide; ++k) {
        packs[place(begin + k)] = group[k];
        poison.Add(k, group[k]);
      }
    });
  });
  all_poison = poison;
}

/// Columns of a full block. Its lines of the cache are asked for in time where
/// `fetch_ahead` is set: for tables that the first cache does not hold.
template <class N, class Columns, class Source>
TORQUED_INLINE void StoreColumns(const Pack<N>* packs, Columns columns,
                                 const Source& source, N* rows,
                                 bool fetch_ahead) {
  constexpr int kLanes = Pack<N>::kLanes;
  constexpr long kNearBytes = 4096, kAheadInRow = 256;
  // The next block's rows, or the same rows further on where they are long.
  const long row_bytes = static_cast<long>(columns) * long(sizeof(N));
  const long block_bytes = row_bytes * kLanes;
  const long ahead = block_bytes < kNearBytes ? block_bytes : kAheadInRow;
  WithGroupWidth<N>(columns, [&](auto width) TORQUED_INLINE_BODY {
    constexpr int kWide = decltype(width){};
    ForGroups<kWide>(columns, [&](auto g, auto begin) TORQUED_INLINE_BODY {
      Pack<N> group[kWide];
#pragma GCC unroll 4
      for (int k = 0; k < kWide; ++k) group[k] = packs[source(begin + k)];
      StoreGroup(group, rows + begin, columns);
      if (fetch_ahead) {
        // As many lines as the group fills, of some of the rows by turns.
        constexpr int kBytes = kWide * kLanes * int(sizeof(N));
        constexpr int kLines = kBytes < 64 ? 1 : kBytes / 64;
        // An address: behind the table's end it must not be a pointer.
        auto line = reinterpret_cast<unsigned long>(rows + begin) +
                    static_cast<unsigned long>(ahead + (g * kLines) % kLanes *
                                                           row_bytes);
#pragma GCC unroll 4
        for (int k = 0; k < kLines; ++k) {
          // NOLINTNEXTLINE(performance-no-int-to-ptr)
          __builtin_prefetch(reinterpret_cast<const void*>(line), 1, 3);
          line += static_cast<unsigned long>(row_bytes);
        }
      }
    });
  });
}

/// Calls f(number of columns, map from columns to packs). Without a table it is
/// the identity, and common numbers are types: 6 and 7 joints, and Jacobians of
/// these.
template <class Function>
TORQUED_INLINE void WithColumns(int columns, const int* table,
                                const Function& f) {
  const auto same = [](int j) TORQUED_INLINE_BODY { return j; };
  if (table != nullptr) {
    f(columns, [table](int j) TORQUED_INLINE_BODY { return table[j]; });
  } else if (columns == 6) {
    f(Int<6>{}, same);
  } else if (columns == 7) {
    f(Int<7>{}, same);
  } else if (columns == 36) {
    f(Int<36>{}, same);
  } else if (columns == 42) {
    f(Int<42>{}, same);
  } else {
    f(columns, same);
  }
}

/// The same between numbers of different width, lane by lane.
template <class Number, class N>
TORQUED_INLINE void LoadColumnsConverted(const Number* rows, int columns,
                                         const int* permutation, Pack<N>* packs,
                                         Poison<N>& poison) {
  for (int j = 0; j < columns; ++j) {
    Pack<N>& pack = packs[permutation ? permutation[j] : j];
    for (int l = 0; l < Pack<N>::kLanes; ++l) {
      pack.v[l] = static_cast<N>(Read(rows + l * columns + j));
    }
    poison.Add(0, pack);
  }
}
template <class Number, class N>
TORQUED_INLINE void StoreColumnsConverted(const Pack<N>* packs, int columns,
                                          const int* permutation,
                                          Number* rows) {
  for (int j = 0; j < columns; ++j) {
    const Pack<N>& pack = packs[permutation ? permutation[j] : j];
    for (int l = 0; l < Pack<N>::kLanes; ++l) {
      Write(static_cast<Number>(pack.v[l]), rows + l * columns + j);
    }
  }
}

/// Copies past the caches. `to` is aligned to 64 bytes, `from` to registers, of
/// which `bytes` is a multiple.
TORQUED_INLINE void StreamCopy(const void* from, void* to, long bytes) {
#if defined(TORQUED_INTRINSICS)
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  for (long k = 0; k < bytes; k += TORQUED_REGISTER_BYTES) {
#if TORQUED_REGISTER_BYTES == 64
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + k),
                        _mm512_load_si512(source + k));
#elif TORQUED_REGISTER_BYTES == 32
    _mm256_stream_si256(
        reinterpret_cast<__m256i*>(target + k),
        _mm256_load_si256(reinterpret_cast<const __m256i*>(source + k)));
#else
    _mm_stream_si128(
        reinterpret_cast<__m128i*>(target + k),
        _mm_load_si128(reinterpret_cast<const __m128i*>(source + k)));
#endif
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
