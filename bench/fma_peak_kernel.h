// What the units of fma_peak_kernel.cc, one per instruction set, define.
#pragma once

namespace torqued::bench {

double RunPeak_baseline(long iterations);
double RunPeak_avx2(long iterations);
double RunPeak_avx512(long iterations);

extern const int kPeakFlops_baseline;
extern const int kPeakFlops_avx2;
extern const int kPeakFlops_avx512;

}  // namespace torqued::bench
