#include "bench/fma_peak.h"

#include "bench/fma_peak_kernel.h"

namespace torqued::bench {

std::vector<PeakKernel> PeakKernels() {
  std::vector<PeakKernel> kernels = {
      {"baseline", RunPeak_baseline, kPeakFlops_baseline}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back({"avx2", RunPeak_avx2, kPeakFlops_avx2});
  }
  if (__builtin_cpu_supports("avx512f")) {
    kernels.push_back({"avx512", RunPeak_avx512, kPeakFlops_avx512});
  }
#endif
  return kernels;
}

}  // namespace torqued::bench
