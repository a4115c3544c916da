// What the kernels read, write and allocate.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/failing_allocations.h"

namespace torqued::testing_support {
namespace {

/// Numbers between two pages that may not be touched: the first byte (`first`)
/// or the last stands at the border.
class Fenced {
 public:
  Fenced(std::size_t count, NumberType type, bool first) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count * SizeOf(type);
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    base_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + page, inner, PROT_READ | PROT_WRITE);
    data_ = base_ + page + (first ? 0 : inner - bytes);
  }
  ~Fenced() { munmap(base_, size_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  void* data() const { return data_; }

 private:
  char* base_;
  void* data_;
  std::size_t size_;
};

/// Evaluates where only the tables may be touched.
void EvaluateFenced(const BatchCase& batch, const SimdKernels& kernels,
                    NumberType type, bool first) {
  std::deque<Fenced> memory;
  const auto room = [&](std::size_t count) {
    return memory.emplace_back(count, type, first).data();
  };
  EvaluationInputs inputs = batch.Inputs();
  for (int k = 0; k < kInputCount; ++k) {
    InputArray& array = inputs[static_cast<Input>(k)];
    if (!array.present()) continue;
    const std::vector<double>& numbers = batch[static_cast<Input>(k)];
    array.data = room(numbers.size());
    array.type = type;
    if (type == NumberType::kF64) {
      std::ranges::copy(numbers, static_cast<double*>(memory.back().data()));
    } else {
      std::ranges::copy(numbers, static_cast<float*>(memory.back().data()));
    }
  }
  const EvaluationPlan plan = batch.Plan(inputs);
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    outputs[output] = {room(plan.columns(output) * batch.rows), type};
  }
  RowWorkspace workspace;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, kernels, 0, batch.rows, workspace, issues);
}

TEST(KernelMemory, NothingOutsideTheTablesIsTouched) {
  for (const int dof : {1, 2, 3, 7}) {
    for (const std::int64_t rows : {1, 3, 8, 17, 37}) {
      const BatchCase batch = MakeRandomCase(dof, false, rows);
      for (const SimdKernels* kernels : Targets()) {
        for (const bool first : {true, false}) {
          EvaluateFenced(batch, *kernels, NumberType::kF64, first);
          EvaluateFenced(batch, *kernels, NumberType::kF32, first);
        }
      }
    }
  }
}

TEST(KernelMemory, ResultsAreTheSameOnEveryPathToMemory) {
  for (const SimdKernels* kernels : Targets()) {
    // 6 and 7 have code of their own; 16 have rows of lines and of pages, and
    // zeros between branches.
    for (const int dof : {6, 7, 9, 16}) {
      BatchCase batch =
          MakeRandomCase(dof, dof == 16, 5 * kernels->lanes_f64 + 3);
      if (dof == 16) batch.options.task.axis_count = 1;
      const BatchResult expected = Evaluate(batch, *kernels);
      const EvaluationPlan plan = batch.Plan();
      // Aligned tables may go past the caches.
      for (const auto& [streaming_stores, offset] :
           {std::pair(false, 0), {false, 1}, {true, 0}, {true, 1}}) {
        EvaluationOutputs outputs;
        std::deque<Fenced> memory;
        for (const auto& [output, table] : expected.tables) {
          memory.emplace_back(table.size() + 1, NumberType::kF64, true);
          outputs[output].data =
              static_cast<double*>(memory.back().data()) + offset;
        }
        BlockJob job = JobOf(plan, outputs);
        job.streaming_stores = streaming_stores;
        RowWorkspace workspace;
        std::vector<FallbackRow> fallback(batch.rows);
        ASSERT_EQ(RunKernels(*kernels, job, 0, batch.rows, workspace,
                             fallback.data()),
                  0);
        for (const auto& [output, table] : expected.tables) {
          EXPECT_EQ(std::memcmp(outputs[output].data, table.data(),
                                table.size() * sizeof(double)),
                    0)
              << ToString(output) << " of " << dof << " joints on "
              << kernels->target;
        }
      }
    }
  }
}

TEST(KernelMemory, WhatTheWorkspaceHeldBeforeDoesNotMatter) {
  for (const SimdKernels* kernels : Targets()) {
    for (const int dof : {1, 6, 9, 14}) {
      BatchCase batch =
          MakeRandomCase(dof, dof % 2 == 1, 2 * kernels->lanes_f64 + 1);
      if (dof < 6) batch.options.task.axis_count = 1;
      if (dof == 9) AddSurroundings(batch, 3);
      const EvaluationPlan plan = batch.Plan();
      RowWorkspace workspace;
      std::vector<FallbackRow> fallback(batch.rows);
      const auto run = [&](int byte) {
        BatchResult result;
        const BlockJob job = JobOf(plan, result.MakeRoom(plan));
        RunKernels(*kernels, job, 0, batch.rows, workspace, fallback.data());
        std::memset(workspace.lanes.get(), byte, workspace.lanes_bytes);
        const long long count = RunKernels(*kernels, job, 0, batch.rows,
                                           workspace, fallback.data());
        return std::pair(result.tables, count);
      };
      // All bits set are NaN.
      EXPECT_EQ(run(0), run(0xff)) << batch.name << " on " << kernels->target;
    }
  }
}

TEST(KernelMemory, NothingIsAllocatedOnceTheWorkspaceHasGrown) {
  BatchCase batch = MakeRandomCase(7, 7, false, 100);
  for (const bool moving : {false, true}) {
    if (moving) AddSurroundings(batch, 3);
    const EvaluationPlan plan = batch.Plan();
    BatchResult result;
    EvaluationOutputs outputs = result.MakeRoom(plan);
    result.sigma_min.resize(100);
    outputs.sigma_min = result.sigma_min.data();
    for (const SimdKernels* kernels : Targets()) {
      RowWorkspace workspace;
      std::vector<RowIssue> issues;
      EvaluateRows(plan, outputs, *kernels, 0, 100, workspace, issues);
      const FailingAllocations failing(1);
      EvaluateRows(plan, outputs, *kernels, 0, 100, workspace, issues);
      EvaluateRows(plan, outputs, *kernels, 3, 50, workspace, issues);
      EXPECT_EQ(failing.failures(), 0) << batch.name;
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support
