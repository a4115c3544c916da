// The robots that are compared with other libraries, and how.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

struct TestRobot {
  std::string name;
  std::string urdf;
  std::string tip;
  std::shared_ptr<const Model> model;
};

/// `count` random robots with `fewest` .. `most` joints.
std::vector<TestRobot> RandomRobots(RandomRobotOptions::Shape shape, int count,
                                    int fewest, int most,
                                    bool friction = false);

/// And those of examples/robots.
std::vector<TestRobot> WithDeployed(std::vector<TestRobot> robots);

/// Not along an axis: every component and its sign counts.
inline constexpr std::array<double, 3> kSkewGravity{0.7, -1.3, -9.5};

/// The robot in this state under kSkewGravity, without a wrench.
Setting In(const TestRobot& robot, const State& state,
           ReferenceFrame frame = ReferenceFrame::kLocal);

/// All that the engine says but of tasks, which may have no full rank.
Answers AskAll(const Setting& setting);

/// [R p] of a frame.
RowMajor PoseOf(Setting setting, const std::string& frame);

/// Results of ours and of an oracle at the states of some robots. When it goes
/// out of scope the running test fails for what was farther apart than may be,
/// and for what is zero at all of them.
class Comparison {
 public:
  ~Comparison();

  /// Errors are relative to the largest entry, or to `scale` if that is larger,
  /// and divided by a condition number.
  void Equal(const std::string& what, const Eigen::MatrixXd& ours,
             const Eigen::MatrixXd& theirs, double bound, double scale = 0,
             double condition = 1);
  /// They are never nearer than `bound`: another convention would be seen.
  void Differ(const std::string& what, const Eigen::MatrixXd& ours,
              const Eigen::MatrixXd& theirs, double bound = 1e-3);

  std::string where;

 private:
  LargestErrors errors_;
  std::map<std::string, double> largest_, least_;  // bounds
  std::map<std::string, double> size_;             // of theirs
};

/// Calls `compare(robot, state)` for four random states of every robot, the
/// same at every call.
template <typename Compare>
void ForStates(Comparison& comparison, const std::vector<TestRobot>& robots,
               Compare compare) {
  for (const TestRobot& robot : robots) {
    ASSERT_NE(robot.model, nullptr) << robot.name;
    Random random(42);
    for (int i = 0; i < 4; ++i) {
      comparison.where = robot.name + ", state " + std::to_string(i);
      compare(robot, MakeRandomState(*robot.model, random));
    }
  }
}

}  // namespace torqued::testing_support
