// Random states of a robot, as tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace torqued::bench {

/// Row-major, one state per row, one column per joint.
struct States {
  std::int64_t rows = 0;
  int columns = 0;
  std::vector<double> q;    // uniform between the limits, ±π where none
  std::vector<double> v;    // ±2 rad/s
  std::vector<double> a;    // ±5 rad/s²
  std::vector<double> tau;  // ±20 N m
};

/// In canonical joint order; the same at every call.
States RandomStates(const Model& model, std::int64_t rows);

/// Of each name, the canonical index of that joint. Throws std::runtime_error
/// where the names are not those of all joints.
std::vector<int> JointIndices(const Model& model,
                              const std::vector<std::string>& names);

/// The first `rows` states with column joints[k] in place k.
States WithColumns(const States& states, const std::vector<int>& joints,
                   std::int64_t rows);

}  // namespace torqued::bench
