// Compiled for every target: functions of a table of numbers, in lanes. Sine
// and cosine of angles as they are and with an offset of quarter turns and a
// rest; the hyperbolic tangent.
#include "core/lanes/sin_cos.h"
#include "core/lanes/tanh.h"

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

/// Returns whether all angles were in range.
template <class N>
bool TableOfSums(const N* x, long count, int quadrant, N rest, N* sine,
                 N* cosine) {
  AngleRange<N> range;
  for (long k = 0; k < count; k += Pack<N>::kLanes) {
    Pack<N> lanes, s, c;
    __builtin_memcpy(&lanes, x + k, sizeof(lanes));
    const ReducedAngle<N> angle = Reduce(lanes, quadrant, Pack<N>(rest));
    range.Add(angle);
    SinCosOfReduced(angle, s, c);
    __builtin_memcpy(sine + k, &s, sizeof(s));
    __builtin_memcpy(cosine + k, &c, sizeof(c));
  }
  return range.lanes() == 0;
}

template <class N>
void TableOfTanh(const N* x, long count, N* y) {
  for (long k = 0; k < count; k += Pack<N>::kLanes) {
    Pack<N> lanes;
    __builtin_memcpy(&lanes, x + k, sizeof(lanes));
    const Pack<N> t = Tanh(lanes);
    __builtin_memcpy(y + k, &t, sizeof(t));
  }
}

}  // namespace

void SinCosTable(const double* x, long count, double* sine, double* cosine) {
  Table(x, count, sine, cosine);
}
void SinCosTable(const float* x, long count, float* sine, float* cosine) {
  Table(x, count, sine, cosine);
}

bool SinCosOfSums(const double* x, long count, int quadrant, double rest,
                  double* sine, double* cosine) {
  return TableOfSums(x, count, quadrant, rest, sine, cosine);
}
bool SinCosOfSums(const float* x, long count, int quadrant, float rest,
                  float* sine, float* cosine) {
  return TableOfSums(x, count, quadrant, rest, sine, cosine);
}

void TanhTable(const double* x, long count, double* y) {
  TableOfTanh(x, count, y);
}
void TanhTable(const float* x, long count, float* y) {
  TableOfTanh(x, count, y);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
