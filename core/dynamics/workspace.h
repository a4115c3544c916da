// Owner of the algorithms' memory: one per thread, made once per model.
#pragma once

#include <cstddef>
#include <memory>

#include "core/dynamics/scratch.h"

namespace torqued {

/// Not thread-safe; reused for any number of states without allocating.
class Workspace {
 public:
  Workspace() = default;
  explicit Workspace(int bodies) { Reserve(bodies); }

  /// Makes room for models of up to `bodies` bodies; allocates only to grow.
  void Reserve(int bodies);

  Scratch<double>& scratch() { return scratch_; }

 private:
  struct Free {
    void operator()(void* p) const;
  };
  int bodies_ = -1;
  std::unique_ptr<std::byte, Free> memory_;
  Scratch<double> scratch_{};
};

}  // namespace torqued
