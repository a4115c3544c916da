// The robots that laws are held to, each in a state, and what the engine says
// of them.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/batch/evaluation.h"
#include "core/lanes/block_job.h"
#include "core/model/model.h"

namespace torqued::testing_support {

constexpr double kEpsilon = 2.3e-16;

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr ReferenceFrame kReferenceFrames[] = {
    ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
    ReferenceFrame::kWorld};

/// A robot in a state, and what acts on it.
struct Setting {
  std::string name;
  std::shared_ptr<const Model> model;
  EvaluationOptions options;
  /// q, v, a and tau; others where a law gives them.
  std::map<Input, Eigen::VectorXd> inputs;

  int n() const { return model->nv(); }
  const BodyFrame& tip() const {
    return model->frames()[static_cast<std::size_t>(*model->tip_frame())]
        .placement;
  }
  Eigen::VectorXd& operator[](Input input) { return inputs[input]; }
  const Eigen::VectorXd& operator[](Input input) const {
    return inputs.at(input);
  }
  /// The same with another input.
  Setting With(Input input, Eigen::VectorXd value) const;
};

/// Arms that are shipped, and random chains and trees of 1 to 12 joints: half
/// of them with rotors, half of them drawn with right angles; all with
/// friction, which the options leave out.
const std::vector<Setting>& Settings();

/// What the engine says of one state.
class Answers {
 public:
  /// With so many rows.
  RowMajor Matrix(Output output, Eigen::Index rows) const;
  Eigen::VectorXd operator[](Output output) const {
    return results_.at(output);
  }
  TaskDiagnostics diagnostics;
  /// Empty if the row is OK.
  std::vector<RowIssue> issues;

 private:
  friend Answers Ask(const Setting& setting, const QuantitySet& quantities,
                     const LaneKernels& kernels);
  std::map<Output, Eigen::VectorXd> results_;
};

/// An argument that cannot be used fails the running test.
Answers Ask(const Setting& setting, const QuantitySet& quantities,
            const LaneKernels& kernels);

/// Kernels and a precision.
struct Route {
  const LaneKernels* kernels;
  Precision precision;
};

/// Laws that hold for every robot on every route.
class Laws : public testing::TestWithParam<Route> {
 protected:
  static bool single() { return GetParam().precision == Precision::kSingle; }
  /// Round-off of sums of some hundred terms, relative to their size.
  static double tolerance() { return single() ? 6e-5 : 1e-13; }

  static Answers Of(Setting setting, const QuantitySet& quantities) {
    setting.options.precision = GetParam().precision;
    return Ask(setting, quantities, *GetParam().kernels);
  }
};

}  // namespace torqued::testing_support
