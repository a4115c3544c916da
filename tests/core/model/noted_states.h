// A rule about the mass matrix that notes the states it is asked about.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/tree.h"

namespace torqued {

/// In the order of the questions; a test clears them first.
inline std::vector<std::vector<double>>& Asked() {
  static std::vector<std::vector<double>> states;
  return states;
}

/// A SingularJointRule by which every mass matrix is regular.
inline std::optional<int> NoteState(const Tree& /*tree*/,
                                    std::span<const double> q) {
  Asked().emplace_back(q.begin(), q.end());
  return std::nullopt;
}

}  // namespace torqued
