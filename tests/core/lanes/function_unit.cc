// Compiled for every target: functions of a table of numbers, in lanes.
#include "core/engine/functions.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

/// `count` is a multiple of the lanes. See functions_test.cc.
template <class N>
bool Fill(const N* x, long count, int quadrant, N rest, N* sine, N* cosine,
          N* tanh) {
  AngleRange<N> range;
  for (long k = 0; k < count; k += Pack<N>::kLanes) {
    Pack<N> lanes, s, c;
    __builtin_memcpy(&lanes, x + k, sizeof(lanes));
    const ReducedAngle<N> angle = rest == 0
                                      ? Reduce(lanes, quadrant)
                                      : Reduce(lanes, quadrant, Pack<N>(rest));
    // Arguments of tanh go beyond it.
    if (rest != 0) range.Add(angle);
    SinCosOfReduced(angle, s, c);
    const Pack<N> t = Tanh(lanes);
    __builtin_memcpy(sine + k, &s, sizeof(s));
    __builtin_memcpy(cosine + k, &c, sizeof(c));
    __builtin_memcpy(tanh + k, &t, sizeof(t));
  }
  return range.lanes() == 0;
}

}  // namespace

bool FillTables(const double* x, long count, int quadrant, double rest,
                double* sine, double* cosine, double* tanh) {
  return Fill(x, count, quadrant, rest, sine, cosine, tanh);
}
bool FillTables(const float* x, long count, int quadrant, float rest,
                float* sine, float* cosine, float* tanh) {
  return Fill(x, count, quadrant, rest, sine, cosine, tanh);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
