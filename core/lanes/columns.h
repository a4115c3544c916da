// Row-major tables into packs and back: column j of a block of rows becomes one
// pack with one row per lane.
//
// Rows are read and written by pieces of 16 bytes, which hold a group of two
// (double) or four (float) columns; the transpose happens between registers.
#pragma once

#include "core/lanes/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Columns that one piece of a row holds.
template <class N>
inline constexpr int kGroup = 16 / int(sizeof(N));

/// Piece k of the result from row first + kGroup k.
template <class N>
TORQUED_INLINE Pack<N> LoadPieces(const N* at, long stride, int first) {
#if defined(__x86_64__)
  constexpr int kStep = kGroup<N>;
  const auto piece = [=](int k) {
    return _mm_loadu_pd(
        reinterpret_cast<const double*>(at + (first + kStep * k) * stride));
  };
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  __m512d v = _mm512_castpd128_pd512(piece(0));
  v = _mm512_insertf64x2(v, piece(1), 1);
  v = _mm512_insertf64x2(v, piece(2), 2);
  v = _mm512_insertf64x2(v, piece(3), 3);
  return Pack<N>::Of((typename Pack<N>::Vector)v);
#elif defined(__AVX2__)
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
#if defined(__x86_64__)
  constexpr int kStep = kGroup<N>;
  const auto place = [=](int k) {
    return reinterpret_cast<double*>(at + (first + kStep * k) * stride);
  };
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const __m512d v = (__m512d)p.v;
  _mm_storeu_pd(place(0), _mm512_castpd512_pd128(v));
  _mm_storeu_pd(place(1), _mm512_extractf64x2_pd(v, 1));
  _mm_storeu_pd(place(2), _mm512_extractf64x2_pd(v, 2));
  _mm_storeu_pd(place(3), _mm512_extractf64x2_pd(v, 3));
#elif defined(__AVX2__)
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
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const __m512d a = g[0].v, b = g[1].v;
  g[0].v = _mm512_unpacklo_pd(a, b);
  g[1].v = _mm512_unpackhi_pd(a, b);
#elif defined(__AVX2__)
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
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const __m512d a = (__m512d)_mm512_unpacklo_ps(g[0].v, g[1].v);
  const __m512d b = (__m512d)_mm512_unpacklo_ps(g[2].v, g[3].v);
  const __m512d c = (__m512d)_mm512_unpackhi_ps(g[0].v, g[1].v);
  const __m512d d = (__m512d)_mm512_unpackhi_ps(g[2].v, g[3].v);
  g[0].v = (__m512)_mm512_unpacklo_pd(a, b);
  g[1].v = (__m512)_mm512_unpackhi_pd(a, b);
  g[2].v = (__m512)_mm512_unpacklo_pd(c, d);
  g[3].v = (__m512)_mm512_unpackhi_pd(c, d);
#elif defined(__AVX2__)
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

/// Becomes NaN in every lane where x is not finite, and stays so.
template <class N>
TORQUED_INLINE void AddPoison(const Pack<N>& x, Pack<N>& poison) {
  poison = poison + x * Pack<N>(N(0));
}

/// Columns of a full block. A last group that is not whole begins earlier, so
/// that nothing beyond a row is touched.
template <class N>
TORQUED_INLINE void LoadColumns(const N* rows, int columns, const int* places,
                                Pack<N>* packs, Pack<N>& all_poison) {
  Pack<N> poison = all_poison;
  constexpr int kWide = kGroup<N>;
  const auto place = [places](int j) { return places ? places[j] : j; };
  if (columns < kWide) {
    for (int j = 0; j < columns; ++j) {
      Pack<N>& pack = packs[place(j)];
      for (int l = 0; l < Pack<N>::kLanes; ++l) {
        pack.v[l] = rows[l * columns + j];
      }
      AddPoison(pack, poison);
    }
    all_poison = poison;
    return;
  }
  for (int j = 0; j < columns; j += kWide) {
    const int from = j + kWide <= columns ? j : columns - kWide;
    Pack<N> group[kWide];
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) {
      group[k] = LoadPieces(rows + from, columns, k);
    }
    TransposePieces(group);
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) {
      packs[place(from + k)] = group[k];
      AddPoison(group[k], poison);
    }
  }
  all_poison = poison;
}

template <class N>
TORQUED_INLINE void StoreColumns(const Pack<N>* packs, int columns,
                                 const int* sources, N* rows) {
  constexpr int kWide = kGroup<N>;
  const auto source = [sources](int j) { return sources ? sources[j] : j; };
  if (columns < kWide) {
    for (int j = 0; j < columns; ++j) {
      const Pack<N>& pack = packs[source(j)];
      for (int l = 0; l < Pack<N>::kLanes; ++l) {
        rows[l * columns + j] = pack.v[l];
      }
    }
    return;
  }
  for (int j = 0; j < columns; j += kWide) {
    const int from = j + kWide <= columns ? j : columns - kWide;
    Pack<N> group[kWide];
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) group[k] = packs[source(from + k)];
    TransposePieces(group);
#pragma GCC unroll 4
    for (int k = 0; k < kWide; ++k) {
      StorePieces(group[k], rows + from, columns, k);
    }
  }
}

/// The same between numbers of different width, lane by lane.
template <class Number, class N>
TORQUED_INLINE void LoadColumnsConverted(const Number* rows, int columns,
                                         const int* places, Pack<N>* packs,
                                         Pack<N>& poison) {
  for (int j = 0; j < columns; ++j) {
    Pack<N>& pack = packs[places ? places[j] : j];
    for (int l = 0; l < Pack<N>::kLanes; ++l) {
      pack.v[l] = static_cast<N>(rows[l * columns + j]);
    }
    AddPoison(pack, poison);
  }
}
template <class Number, class N>
TORQUED_INLINE void StoreColumnsConverted(const Pack<N>* packs, int columns,
                                          const int* sources, Number* rows) {
  for (int j = 0; j < columns; ++j) {
    const Pack<N>& pack = packs[sources ? sources[j] : j];
    for (int l = 0; l < Pack<N>::kLanes; ++l) {
      rows[l * columns + j] = static_cast<Number>(pack.v[l]);
    }
  }
}

/// Copies past the caches; `to` is aligned to 64 bytes, `bytes` a multiple of
/// 64.
TORQUED_INLINE void CopyPastCaches(const void* from, void* to, long bytes) {
#if defined(__x86_64__)
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  for (long k = 0; k < bytes; k += kRegisterBytes) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + k),
                        _mm512_load_si512(source + k));
#elif defined(__AVX2__)
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

/// Makes what CopyPastCaches wrote visible to other threads.
TORQUED_INLINE void FenceCopies() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
