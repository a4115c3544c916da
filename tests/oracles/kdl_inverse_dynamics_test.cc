// Inverse dynamics against Orocos KDL.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/oracles/kdl_comparison.h"
#include "tests/oracles/quantities.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

TEST(KdlTest, InverseDynamicsEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const VectorXd theirs = MakeChain(robot).InverseDynamics(s.q, s.v, s.a);
    errors.Add("inverse dynamics",
               MakeRobot(robot).InverseDynamics(s.q, s.v, s.a), theirs, where);
  });
  errors.ExpectBelow("inverse dynamics", 6e-14);
}

/// Of the trees as robots that `make` makes of them, against KDL's.
template <class Make>
void CompareTrees(LargestErrors& errors, const Make& make) {
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    errors.Add("inverse dynamics", make(robot).InverseDynamics(s.q, s.v, s.a),
               MakeTree(robot).InverseDynamics(s.q, s.v, s.a), where);
  });
}

TEST(KdlTest, InverseDynamicsEqualsKdlOnRandomTrees) {
  LargestErrors errors;
  CompareTrees(errors, [](const TestRobot& robot) { return MakeRobot(robot); });
  errors.ExpectBelow("inverse dynamics", 4e-14);
}

TEST(KdlTest, GravityOfTheOtherSignIsFarFromKdl) {
  LargestErrors errors;
  CompareTrees(errors, [](const TestRobot& robot) {
    return MakeRobot(robot, ReferenceFrame::kLocal,
                     {-kSkewGravity[0], -kSkewGravity[1], -kSkewGravity[2]});
  });
  errors.ExpectAbove("inverse dynamics", 1e-3);
}

/// The text with every inertial frame parallel to its link.
std::string WithoutTurnedInertias(std::string urdf) {
  constexpr std::string_view kInertial = "<inertial><origin";
  for (std::size_t at = urdf.find(kInertial); at != std::string::npos;
       at = urdf.find(kInertial, at + 1)) {
    const std::size_t turn = urdf.find(" rpy=\"", at);
    const std::size_t end = urdf.find('"', turn + 6) + 1;
    urdf.replace(turn, end - turn, " rpy=\"0 0 0\"");
  }
  return urdf;
}

TEST(KdlTest, InertiasInTheWrongAxesAreFarFromKdl) {
  LargestErrors errors;
  CompareTrees(errors, [](TestRobot robot) {
    robot.model = LoadModel(WithoutTurnedInertias(robot.urdf), robot.tip);
    return MakeRobot(robot);
  });
  errors.ExpectAbove("inverse dynamics", 1e-6);
}

TEST(KdlTest, TipWrenchOnTheEnvironmentIsMinusKdlsForceOnTheTip) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const VectorXd theirs =
        MakeTree(robot).InverseDynamics(s.q, s.v, s.a, robot.tip, s.wrench);
    Robot ours = MakeRobot(robot);
    errors.Add("inverse dynamics",
               ours.InverseDynamics(s.q, s.v, s.a, s.wrench), theirs, where);
    errors.Add("with the wrench on the robot",
               ours.InverseDynamics(s.q, s.v, s.a, -s.wrench), theirs, where);
    Robot world_aligned = MakeRobot(robot, ReferenceFrame::kLocalWorldAligned);
    errors.Add("with the wrench in other axes",
               world_aligned.InverseDynamics(s.q, s.v, s.a, s.wrench), theirs,
               where);
  });
  errors.ExpectBelow("inverse dynamics", 4e-14);
  errors.ExpectAbove("with the wrench on the robot", 1e-3);
  errors.ExpectAbove("with the wrench in other axes", 1e-3);
}

TEST(KdlTest, WrenchesOnManyLinksAreKdlsForces) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    // On every other link, fixed ones among them.
    std::vector<Push> pushes;
    std::map<std::string, VectorXd> on_robot;
    const auto frames = robot.model->frames();
    Random random(static_cast<std::uint64_t>(frames.size()));
    for (std::size_t k = 1; k < frames.size(); k += 2) {
      pushes.push_back({frames[k].name, random.Vector(6, -10, 10)});
      on_robot[frames[k].name] = pushes.back().wrench;
    }
    const VectorXd theirs =
        MakeTree(robot).InverseDynamics(s.q, s.v, s.a, on_robot);
    const auto tau_under = [&](const std::vector<Push>& all) {
      return Quantities(robot, s, ReferenceFrame::kLocal, false,
                        all)[Output::kTau];
    };
    errors.Add("inverse dynamics", tau_under(pushes), theirs, where);
    pushes.front().wrench *= -1;
    pushes.back().wrench *= -1;
    errors.Add("with two of them turned around", tau_under(pushes), theirs,
               where);
  });
  errors.ExpectBelow("inverse dynamics", 4e-14);
  errors.ExpectAbove("with two of them turned around", 1e-3);
}

}  // namespace
}  // namespace torqued::testing_support
