// The arithmetic that one core can do at most, measured.
#pragma once

#include <string>
#include <vector>

namespace torqued::bench {

/// A loop of multiply-adds on registers, for one instruction set: baseline has
/// no fused ones and multiplies and adds in two instructions.
struct PeakKernel {
  std::string target;
  /// Runs the loop; what comes back only keeps it from being left out.
  double (*run)(long iterations);
  /// Multiplications and additions of one iteration.
  int flops;
};

/// Of the instruction sets of this machine, whether the engine uses them or
/// not.
std::vector<PeakKernel> PeakKernels();

}  // namespace torqued::bench
