// The robots that laws are held to, each in a state, and what the engine says
// of them.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/block_job.h"
#include "core/engine/evaluation.h"
#include "core/model/assembly.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {

constexpr double kEpsilon = 2.3e-16;

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr ReferenceFrame kReferenceFrames[] = {
    ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
    ReferenceFrame::kWorld};

using Triple = std::array<double, 3>;

/// A link and the joint before it.
struct Segment {
  Pose at;
  Triple axis;
  LinkDescription link;
  JointKind type = JointKind::kContinuous;
  double armature = 0;
};

/// Joints "j1" … hold links "l1" … one after the other, "l0" is the base.
std::shared_ptr<const Model> ChainOf(const std::vector<Segment>& segments);

Pose Shift(double x, double y, double z);

/// A robot in a state, and what acts on it.
struct Setting {
  std::string name;
  std::shared_ptr<const Model> model;
  EvaluationOptions options = {};
  /// q, v, a and tau; others where a law gives them.
  std::map<Input, Eigen::VectorXd> inputs = {};

  int n() const { return model->nv(); }
  BodyFrame tip() const {
    return FrameOnBody(
        model->frames()[static_cast<std::size_t>(*model->tip_frame())]);
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
  /// With so many rows, or with one for each joint.
  RowMajor Matrix(Output output, Eigen::Index rows = 0) const;
  Eigen::VectorXd operator[](Output output) const {
    return results_.at(output);
  }
  TaskDiagnostics diagnostics;
  /// Empty if the row is OK.
  std::vector<RowIssue> issues;

 private:
  friend Answers Ask(const Setting& setting, const QuantitySet& quantities,
                     const SimdKernels& kernels);
  int n_ = 0;
  std::map<Output, Eigen::VectorXd> results_;
};

/// An argument that cannot be used fails the running test.
Answers Ask(const Setting& setting, const QuantitySet& quantities,
            const SimdKernels& kernels);

/// Kernels and a precision.
struct Route {
  const SimdKernels* kernels;
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

  /// Calls check(setting) for each of Settings().
  template <class Check>
  static void ForAll(const Check& check) {
    for (const Setting& s : Settings()) {
      SCOPED_TRACE(s.name);
      check(s);
    }
  }
};

/// Of an actual and an expected result, and the size of its terms.
#define EXPECT_SAME(...) EXPECT_LT(RelativeError(__VA_ARGS__), tolerance())

}  // namespace torqued::testing_support
