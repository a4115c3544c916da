// Compiled for every target: sine and cosine of a table, in lanes.
#include "core/lanes/sin_cos.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

/// `count` is a multiple of the lanes.
template <class N>
void Table(const N* x, long count, N* sine, N* cosine) {
  for (long k = 0; k < count; k += Pack<N>::kLanes) {
    Pack<N> lanes, s, c;
    __builtin_memcpy(&lanes, x + k, sizeof(lanes));
    SinCos(lanes, s, c);
    __builtin_memcpy(sine + k, &s, sizeof(s));
    __builtin_memcpy(cosine + k, &c, sizeof(c));
  }
}

}  // namespace

void SinCosTable(const double* x, long count, double* sine, double* cosine) {
  Table(x, count, sine, cosine);
}
void SinCosTable(const float* x, long count, float* sine, float* cosine) {
  Table(x, count, sine, cosine);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
