// What the kernels read, write and allocate.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/failing_allocations.h"

namespace torqued::testing_support {
namespace {

/// Memory between two pages that may not be touched: the first byte (`first`)
/// or the last stands at the border.
class Fenced {
 public:
  Fenced(std::size_t bytes, bool first) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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
  char* data_;
  std::size_t size_;
};

/// A table in fenced memory, in the number type of choice.
struct FencedTable {
  FencedTable(const std::vector<double>& values, NumberType type, bool first)
      : memory(values.size() * static_cast<std::size_t>(SizeOf(type)), first) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (type == NumberType::kF64) {
        static_cast<double*>(memory.data())[k] = values[k];
      } else {
        static_cast<float*>(memory.data())[k] = static_cast<float>(values[k]);
      }
    }
  }
  Fenced memory;
};

TEST(LaneMemory, NothingOutsideTheTablesIsTouched) {
  for (const LaneKernels* kernels : Targets()) {
    for (const int dof : {1, 2, 3, 7}) {
      for (const std::int64_t rows : {1, 3, 8, 17, 37}) {
        const BatchCase batch = MakeRandomCase(dof, false, rows);
        for (const NumberType type : {NumberType::kF64, NumberType::kF32}) {
          for (const bool first : {true, false}) {
            const auto columns = batch.model->nv();
            const FencedTable q(batch.q, type, first), v(batch.v, type, first),
                a(batch.a, type, first), tau(batch.tau, type, first),
                wrench(batch.wrench, type, first);
            EvaluationInputs inputs;
            inputs.q = {q.memory.data(), type, rows, columns};
            inputs.v = {v.memory.data(), type, rows, columns};
            inputs.a = {a.memory.data(), type, rows, columns};
            inputs.tau = {tau.memory.data(), type, rows, columns};
            inputs.tip_wrench = {wrench.memory.data(), type, rows, 6};
            const auto plan = std::get<EvaluationPlan>(
                EvaluationPlan::Create(batch.model, batch.options, inputs));
            std::vector<std::unique_ptr<Fenced>> memory;
            EvaluationOutputs outputs;
            for (int k = 0; k < kOutputCount; ++k) {
              const auto output = static_cast<Output>(k);
              memory.push_back(std::make_unique<Fenced>(
                  static_cast<std::size_t>(plan.columns(output) * rows *
                                           SizeOf(type)),
                  first));
              outputs[output] = {memory.back()->data(), type};
            }
            RowWorkspace workspace;
            std::vector<RowIssue> issues;
            EvaluateRows(plan, outputs, *kernels, 0, rows, workspace, issues);
          }
        }
      }
    }
  }
}

/// Writes all results in each way that there is, and compares.
void ExpectTheSameOnEveryPath(const LaneKernels& kernels, int dof) {
  const std::int64_t rows = 5 * kernels.lanes_f64 + 3;
  BatchCase batch =
      MakeRandomCase(static_cast<std::uint64_t>(dof), dof, false, rows);
  const BatchResult expected = Evaluate(batch, kernels);
  const auto plan = std::get<EvaluationPlan>(
      EvaluationPlan::Create(batch.model, batch.options, batch.Inputs()));
  struct Way {
    bool streaming_stores;
    std::size_t offset;  // aligned tables may go past the caches
  };
  for (const auto& [streaming_stores, offset] :
       {Way{false, 0}, Way{false, 1}, Way{true, 0}, Way{true, 1}}) {
    EvaluationOutputs outputs;
    std::vector<std::unique_ptr<Fenced>> memory;
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      const auto bytes =
          static_cast<std::size_t>(plan.columns(output) * rows) * 8;
      memory.push_back(std::make_unique<Fenced>(bytes + 8, true));
      outputs[output] = {static_cast<double*>(memory.back()->data()) + offset,
                         NumberType::kF64};
    }
    BlockJob job = plan.Job(outputs);
    job.streaming_stores = streaming_stores;
    RowWorkspace workspace;
    const long long doubtful = RunKernels(kernels, job, rows, workspace);
    ASSERT_EQ(doubtful, 0);
    for (const auto& [output, table] : expected.tables) {
      EXPECT_EQ(std::memcmp(outputs[output].data, table.data(),
                            table.size() * sizeof(double)),
                0)
          << ToString(output) << " of " << dof << " joints on "
          << kernels.target;
    }
  }
}

TEST(LaneMemory, ResultsAreTheSameOnEveryPathToMemory) {
  for (const LaneKernels* kernels : Targets()) {
    // 6 and 7 have code of their own.
    for (const int dof : {6, 7, 9}) ExpectTheSameOnEveryPath(*kernels, dof);
  }
}

TEST(LaneMemory, WhatTheWorkspaceHeldBeforeDoesNotMatter) {
  for (const LaneKernels* kernels : Targets()) {
    const std::int64_t rows = 2 * kernels->lanes_f64 + 1;
    for (const int dof : {1, 6, 9, 14}) {
      BatchCase batch = MakeRandomCase(dof, dof % 2 == 1, rows);
      if (dof < 6) batch.options.task.axis_count = 1;
      if (dof == 9) AddSurroundings(batch, 3);
      const auto plan = std::get<EvaluationPlan>(
          EvaluationPlan::Create(batch.model, batch.options, batch.Inputs()));
      const auto run = [&](int byte) {
        std::vector<std::vector<double>> tables(kOutputCount);
        EvaluationOutputs outputs;
        for (int k = 0; k < kOutputCount; ++k) {
          const auto output = static_cast<Output>(k);
          auto& table = tables[static_cast<std::size_t>(k)];
          table.resize(static_cast<std::size_t>(plan.columns(output) * rows));
          outputs[output] = {table.data(), NumberType::kF64};
        }
        const BlockJob job = plan.Job(outputs);
        RowWorkspace workspace;
        workspace.ReserveDoubtful(rows);
        workspace.ReserveLanes(
            -kernels->evaluate(&job, 0, rows, nullptr, 0, nullptr));
        std::memset(workspace.lanes.get(), byte,
                    static_cast<std::size_t>(workspace.lanes_bytes));
        const long long doubtful =
            kernels->evaluate(&job, 0, rows, workspace.lanes.get(),
                              workspace.lanes_bytes, workspace.doubtful.data());
        return std::pair(tables, doubtful);
      };
      // All bits set are NaN.
      EXPECT_EQ(run(0), run(0xff)) << batch.name << " on " << kernels->target;
    }
  }
}

void ExpectNoAllocation(const BatchCase& batch) {
  const auto plan = std::get<EvaluationPlan>(
      EvaluationPlan::Create(batch.model, batch.options, batch.Inputs()));
  std::vector<std::vector<double>> tables(kOutputCount);
  EvaluationOutputs outputs;
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    auto& table = tables[static_cast<std::size_t>(k)];
    table.resize(static_cast<std::size_t>(plan.columns(output)) * 100);
    outputs[output] = {table.data(), NumberType::kF64};
  }
  std::vector<double> sigma_min(100);
  outputs.sigma_min = sigma_min.data();
  for (const LaneKernels* kernels : Targets()) {
    RowWorkspace workspace;
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, *kernels, 0, 100, workspace, issues);
    const FailingAllocations failing(1);
    EvaluateRows(plan, outputs, *kernels, 0, 100, workspace, issues);
    EvaluateRows(plan, outputs, *kernels, 3, 50, workspace, issues);
    EXPECT_EQ(failing.failures(), 0) << batch.name;
  }
}

TEST(LaneMemory, NothingIsAllocatedOnceTheWorkspaceHasGrown) {
  BatchCase batch = MakeRandomCase(7, 7, false, 100);
  ExpectNoAllocation(batch);
  AddSurroundings(batch, 3);
  ExpectNoAllocation(batch);
}

}  // namespace
}  // namespace torqued::testing_support
