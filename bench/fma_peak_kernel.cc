// Compiled once per instruction set, with TORQUED_PEAK_TARGET and the width of
// its registers in bytes, TORQUED_PEAK_BYTES. No headers but its own: see
// core/spatial/target.h.
#include "bench/fma_peak_kernel.h"

#define TORQUED_JOIN(a, b) a##b
#define TORQUED_NAME(name, target) TORQUED_JOIN(name, target)

namespace torqued::bench {
namespace {

using Pack [[gnu::vector_size(TORQUED_PEAK_BYTES)]] = double;

constexpr int kLanes = TORQUED_PEAK_BYTES / static_cast<int>(sizeof(double));
// Independent chains: 2 ports x 4 cycles of latency are 8 in flight; with two
// constants, 12 still fit into 16 registers.
constexpr int kChains = 12;

}  // namespace

extern const int TORQUED_NAME(kPeakFlops_, TORQUED_PEAK_TARGET);
const int TORQUED_NAME(kPeakFlops_, TORQUED_PEAK_TARGET) = 2 * kLanes * kChains;

double TORQUED_NAME(RunPeak_, TORQUED_PEAK_TARGET)(long iterations) {
  // Tends to 0.5: no overflow, no subnormal numbers.
  const Pack factor = Pack{} + 0.5;
  const Pack summand = Pack{} + 0.25;
  Pack chain[kChains];
  for (int k = 0; k < kChains; ++k) chain[k] = Pack{} + 1.0 / (k + 1);
  for (long i = 0; i < iterations; ++i) {
    for (Pack& x : chain) x = x * factor + summand;
  }
  Pack sum = chain[0];
  for (int k = 1; k < kChains; ++k) sum += chain[k];
  double result = 0;
  for (int lane = 0; lane < kLanes; ++lane) result += sum[lane];
  return result;
}

}  // namespace torqued::bench
