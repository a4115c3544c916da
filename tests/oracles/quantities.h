// All results of one state, by the engine's rows.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "core/batch/evaluation.h"
#include "tests/oracles/robots.h"

namespace torqued::testing_support {

/// A wrench that acts on a link of the robot, in the link's frame.
struct Push {
  std::string link;
  Eigen::VectorXd wrench;
};

class Quantities {
 public:
  using RowMajor =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Everything but operational space, in the given frame, under the state's
  /// wrench in that frame where `wrench` says so, and under the pushes. Throws
  /// std::runtime_error where a row is not OK.
  Quantities(const TestRobot& robot, const State& state, ReferenceFrame frame,
             bool wrench = false, const std::vector<Push>& pushes = {});

  const Eigen::VectorXd& operator[](Output output) const {
    return results_[static_cast<std::size_t>(output)];
  }
  /// With so many rows.
  RowMajor Matrix(Output output, Eigen::Index rows) const;

 private:
  std::array<Eigen::VectorXd, kOutputCount> results_;
};

}  // namespace torqued::testing_support
