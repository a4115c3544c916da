// The functions of function_unit.cc, which every target has.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace torqued {

#define TORQUED_DECLARE(target)                                                \
  namespace target {                                                           \
  void SinCosTable(const double* x, long count, double* sine, double* cosine); \
  void SinCosTable(const float* x, long count, float* sine, float* cosine);    \
  bool SinCosOfSums(const double* x, long count, int quadrant, double rest,    \
                    double* sine, double* cosine);                             \
  bool SinCosOfSums(const float* x, long count, int quadrant, float rest,      \
                    float* sine, float* cosine);                               \
  void TanhTable(const double* x, long count, double* y);                      \
  void TanhTable(const float* x, long count, float* y);                        \
  }
TORQUED_DECLARE(baseline)
#ifdef TORQUED_X86_TARGETS
TORQUED_DECLARE(avx2)
TORQUED_DECLARE(avx512)
#endif
#undef TORQUED_DECLARE

namespace testing_support {

/// A multiple of every target's lanes.
inline constexpr long kBlock = 16;

/// The functions of one target, for tables whose `count` is a multiple of
/// kBlock.
template <class N>
struct LaneFunctions {
  void (*sin_cos)(const N* x, long count, N* sine, N* cosine);
  /// Of x + quadrant π/2 + rest; returns whether all angles were in range.
  bool (*sin_cos_of_sums)(const N* x, long count, int quadrant, N rest, N* sine,
                          N* cosine);
  void (*tanh)(const N* x, long count, N* y);
};

/// Those of the target of this name. Fails the running test for a name that
/// is unknown.
template <class N>
LaneFunctions<N> LaneFunctionsOf(const std::string& target) {
#ifdef TORQUED_X86_TARGETS
  if (target == "avx2") {
    return {avx2::SinCosTable, avx2::SinCosOfSums, avx2::TanhTable};
  }
  if (target == "avx512") {
    return {avx512::SinCosTable, avx512::SinCosOfSums, avx512::TanhTable};
  }
#endif
  EXPECT_EQ(target, "baseline");
  return {baseline::SinCosTable, baseline::SinCosOfSums, baseline::TanhTable};
}

}  // namespace testing_support
}  // namespace torqued
