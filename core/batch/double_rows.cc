#include "core/batch/double_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/batch/evaluate_rows.h"
#include "core/batch/quantity_needs.h"

namespace torqued {
namespace {

/// Rows that are gathered at a time: enough to fill blocks.
constexpr long long kMostRows = 256;

constexpr std::size_t Padded(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

std::size_t SizeOfNumber(bool f32) { return f32 ? 4 : 8; }

/// The tables of a job, with a few rows of it put together.
class GatheredRows {
 public:
  GatheredRows(const EvaluationPlan& plan, const BlockJob& job,
               const LaneKernels& kernels, QuantityBits quantities,
               RowWorkspace& workspace)
      : plan_(plan),
        job_(job),
        kernels_(kernels),
        workspace_(workspace),
        gathered_(job) {
    gathered_.single_precision = false;
    gathered_.task =
        job.task && QuantitySet(quantities).HasAny(kQuantitiesOfTheTask);
    gathered_.past_caches = false;
    gathered_.wanted = 0;
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      const bool in_doubt = (quantities & Bit(QuantityOf(output))) != 0;
      if (in_doubt && (job.wanted & Bit(output)) != 0) {
        gathered_.wanted |= Bit(output);
        bytes_per_row_ += BytesOf(output);
      }
    }
    for (const LaneInput& input : job.inputs) {
      if (IsByRow(input)) bytes_per_row_ += BytesOf(input);
    }
    const auto fitting = RowWorkspace::kMostGathered /
                         static_cast<long long>(bytes_per_row_ + 1);
    most_rows_ = std::clamp<long long>(fitting, kernels.lanes_f64, kMostRows) /
                 kernels.lanes_f64 * kernels.lanes_f64;
    LayOut();
  }

  long long most_rows() const { return most_rows_; }

  /// Of `count` rows; returns how many of them are still in doubt, which come
  /// to `left`. That may begin where `rows` do.
  long long Compute(const DoubtfulRow* rows, long long count,
                    DoubtfulRow* left) {
    for (int k = 0; k < kInputCount; ++k) {
      const LaneInput& from = job_.inputs[k];
      if (!IsByRow(from)) continue;
      const std::size_t bytes = BytesOf(from);
      std::byte* to = memory() + input_at_[static_cast<std::size_t>(k)];
      gathered_.inputs[k].data = to;
      for (long long r = 0; r < count; ++r, to += bytes) {
        std::memcpy(to,
                    static_cast<const std::byte*>(from.data) +
                        static_cast<std::size_t>(rows[r].row) * bytes,
                    bytes);
      }
    }
    const long long found =
        RunLanes(kernels_, gathered_, 0, count, workspace_, doubtful_.data());
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if ((gathered_.wanted & Bit(output)) == 0) continue;
      const std::size_t bytes = BytesOf(output);
      const std::byte* from =
          memory() + output_at_[static_cast<std::size_t>(k)];
      for (long long r = 0; r < count; ++r, from += bytes) {
        if ((rows[r].quantities & Bit(QuantityOf(output))) == 0) continue;
        std::memcpy(static_cast<std::byte*>(job_.outputs[k].data) +
                        static_cast<std::size_t>(rows[r].row) * bytes,
                    from, bytes);
      }
    }
    long long open = 0;
    for (long long f = 0; f < found; ++f) {
      const DoubtfulRow& row = rows[doubtful_[f].row];
      const QuantityBits quantities = row.quantities & doubtful_[f].quantities;
      if (quantities != 0) left[open++] = {row.row, quantities};
    }
    return open;
  }

 private:
  static bool IsByRow(const LaneInput& input) {
    return input.data != nullptr && !input.one_row && input.columns > 0;
  }
  static std::size_t BytesOf(const LaneInput& input) {
    return static_cast<std::size_t>(input.columns) * SizeOfNumber(input.f32);
  }
  std::size_t BytesOf(Output output) const {
    const auto k = static_cast<std::size_t>(output);
    return static_cast<std::size_t>(plan_.blocks().shape(output).columns) *
           SizeOfNumber(job_.outputs[k].f32);
  }
  std::byte* memory() { return workspace_.gathered.data(); }

  void LayOut() {
    const auto rows = static_cast<std::size_t>(most_rows_);
    std::size_t used = 0;
    for (std::size_t k = 0; k < kInputCount; ++k) {
      if (!IsByRow(job_.inputs[k])) continue;
      input_at_[k] = used;
      used += Padded(rows * BytesOf(job_.inputs[k]));
    }
    for (std::size_t k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if ((gathered_.wanted & Bit(output)) == 0) continue;
      output_at_[k] = used;
      used += Padded(rows * BytesOf(output));
    }
    workspace_.ReserveGathered(used);
    for (std::size_t k = 0; k < kOutputCount; ++k) {
      if ((gathered_.wanted & Bit(static_cast<Output>(k))) != 0) {
        gathered_.outputs[k].data = memory() + output_at_[k];
      }
    }
  }

  const EvaluationPlan& plan_;
  const BlockJob& job_;
  const LaneKernels& kernels_;
  RowWorkspace& workspace_;
  BlockJob gathered_;
  std::size_t bytes_per_row_ = 0;
  long long most_rows_ = 0;
  std::array<std::size_t, kInputCount> input_at_{};
  std::array<std::size_t, kOutputCount> output_at_{};
  std::array<DoubtfulRow, kMostRows> doubtful_;
};

}  // namespace

long long RecomputeInDouble(const EvaluationPlan& plan, const BlockJob& job,
                            const LaneKernels& kernels, RowWorkspace& workspace,
                            long long count) {
  DoubtfulRow* const rows = workspace.doubtful.data();
  QuantityBits quantities = 0;
  for (long long k = 0; k < count; ++k) quantities |= rows[k].quantities;
  GatheredRows gathered(plan, job, kernels, quantities, workspace);
  long long left = 0;
  for (long long k = 0; k < count; k += gathered.most_rows()) {
    const long long some = std::min(gathered.most_rows(), count - k);
    left += gathered.Compute(rows + k, some, rows + left);
  }
  return left;
}

}  // namespace torqued
