// A job in parts: what each quantity alone would make of the rows.
#pragma once

#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lanes/row_doubts.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Computes a job part by part, some rows at a time, which stay in the first
/// cache. A part never sees what the others take, nor their doubts.
class PartsEvaluation {
 public:
  /// Computes a job of one part, as LaneKernels::evaluate does.
  using EvaluatePart = long long (*)(const BlockJob& job, long long begin,
                                     long long end, void* memory,
                                     long long bytes, DoubtfulRow* doubtful);

  PartsEvaluation(const BlockJob& job, EvaluatePart evaluate)
      : job_(job), evaluate_(evaluate), part_job_(job) {}

  /// See LaneKernels::evaluate.
  long long Run(long long begin, long long end, void* memory, long long bytes,
                DoubtfulRow* doubtful) {
    const long long needed = BytesOfLargestPart();
    if (needed > bytes) return -needed;
    long long listed = 0;
    for (long long row = begin; row < end; row += kRows) {
      const long long left = end - row;
      const long long stop = left < kRows ? end : row + kRows;
      for (QuantityBits& doubts : doubts_) doubts = 0;
      for (int k = 0; k < job_.part_count; ++k) {
        RunPart(job_.parts[k], row, stop, memory, bytes);
      }
      for (long long at = row; at < stop; ++at) {
        const QuantityBits doubts = doubts_[at - row];
        if (doubts != 0) doubtful[listed++] = {at, doubts};
      }
    }
    return listed;
  }

 private:
  /// A multiple of all numbers of lanes, so that blocks stay whole.
  static constexpr int kRows = 64;
  static_assert(kRows % Pack<float>::kLanes == 0);

  long long BytesOfLargestPart() {
    long long largest = 0;
    for (int k = 0; k < job_.part_count; ++k) {
      Take(job_.parts[k]);
      const long long bytes = -evaluate_(part_job_, 0, 0, nullptr, 0, nullptr);
      largest = largest < bytes ? bytes : largest;
    }
    return largest;
  }

  /// Makes the job that of one part.
  void Take(const JobPart& part) {
    part_job_.lowered = part.lowered;
    part_job_.task = (part.quantities & kOfTheTask) != 0;
    part_job_.part_count = 1;
    for (int k = 0; k < kInputCount; ++k) {
      part_job_.inputs[k] = job_.inputs[k];
      if ((part.absent >> k & 1U) != 0) part_job_.inputs[k].data = nullptr;
    }
    part_job_.wanted = 0;
    for (OutputBits left = job_.wanted; left != 0; left &= left - 1) {
      const auto output = static_cast<Output>(__builtin_ctzll(left));
      if ((part.quantities & Bit(QuantityOf(output))) != 0) {
        part_job_.wanted |= Bit(output);
      }
    }
  }

  void RunPart(const JobPart& part, long long begin, long long end,
               void* memory, long long bytes) {
    Take(part);
    const long long count =
        evaluate_(part_job_, begin, end, memory, bytes, listed_);
    for (long long k = 0; k < count; ++k) {
      const QuantityBits doubts = listed_[k].quantities;
      // An input that is not finite makes all of its row undefined.
      doubts_[listed_[k].row - begin] |=
          doubts == kAllQuantities ? doubts : doubts & part.quantities;
    }
  }

  const BlockJob& job_;
  const EvaluatePart evaluate_;
  BlockJob part_job_;
  QuantityBits doubts_[kRows];  // by row
  DoubtfulRow listed_[kRows];   // by one part
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
