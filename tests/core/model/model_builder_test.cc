// From links and joints to the parts of a model.
#include "core/model/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/math/screws.h"
#include "core/tree/tree.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::Random;

std::array<double, 3> Triple(Random& random, double reach) {
  std::array<double, 3> triple;
  for (double& x : triple) x = random.Uniform(-reach, reach);
  return triple;
}

Pose RandomPose(Random& random) {
  const auto xyz = Triple(random, 1);
  return Pose::FromXyzRpy(xyz, Triple(random, 7));
}

/// Of a pose, a frame or a body.
template <class Placed>
Isometry3d ToEigen(const Placed& at) {
  Isometry3d T = Isometry3d::Identity();
  T.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
      std::data(at.R));
  T.translation() = Eigen::Map<const Vector3d>(std::data(at.p));
  return T;
}

void ExpectSamePose(const Isometry3d& a, const Isometry3d& b) {
  EXPECT_LT((a.matrix() - b.matrix()).norm(), 1e-14);
}

TEST(Pose, RollPitchYawTurnAboutFixedAxesAndPlacementsChain) {
  Random random(1);
  Pose before;
  for (int i = 0; i < 200; ++i) {
    const auto xyz = Triple(random, 1), rpy = Triple(random, 7);
    const Pose pose = Pose::FromXyzRpy(xyz, rpy);
    ExpectSamePose(ToEigen(pose), Eigen::Translation3d(xyz[0], xyz[1], xyz[2]) *
                                      AngleAxisd(rpy[2], Vector3d::UnitZ()) *
                                      AngleAxisd(rpy[1], Vector3d::UnitY()) *
                                      AngleAxisd(rpy[0], Vector3d::UnitX()));
    ExpectSamePose(ToEigen(before * pose), ToEigen(before) * ToEigen(pose));
    before = pose;
  }
}

TEST(Pose, ZeroAnglesAreExact) {
  const Pose identity = Pose::FromXyzRpy({0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(identity.R, Pose{}.R);
  for (const double r : identity.R) EXPECT_FALSE(std::signbit(r));
  // A turn about one axis leaves the others' entries exact.
  const double s = std::sin(0.7), c = std::cos(0.7);
  EXPECT_THAT(Pose::FromXyzRpy({0, 0, 0}, {0.7, -0.0, 0}).R,
              ElementsAre(1, 0, 0, 0, c, -s, 0, s, c));
}

/// base -> (movable) body -> fixed tree of links -> (movable) hand
struct FixedTree {
  explicit FixedTree(std::uint64_t seed) {
    Random random(seed);
    links.push_back(MasslessLink("base"));
    joints.push_back(JointOf("j0", JointKind::kRevolute, "base", "body"));
    Add("body", Isometry3d::Identity(), random);
    for (int i = 0; i < 6; ++i) {
      const int parent = random.Index(i + 1);
      const std::string name = "f" + std::to_string(i);
      joints.push_back(JointOf("fix" + name, JointKind::kFixed,
                               links[parent + 1].name, name));
      joints.back().origin = RandomPose(random);
      Add(name, placements[parent] * ToEigen(joints.back().origin), random);
    }
    joints.push_back(JointOf("next", JointKind::kPrismatic, "f5", "hand"));
    joints.back().origin = RandomPose(random);
    links.push_back(Link("hand", 1));
    hand = placements.back() * ToEigen(joints.back().origin);
  }

  void Add(const std::string& name, const Isometry3d& placement,
           Random& random) {
    const double mass = random.Uniform(0.5, 10);
    const std::array<double, 3> moments = {0.3 * mass, 0.4 * mass, 0.5 * mass};
    links.push_back(Link(name, mass, Triple(random, 0.5), moments));
    Pose& own = links.back().inertial->origin;
    own.R = RandomPose(random).R;
    // G is that of the principal axes, moved.
    const Isometry3d axes = placement * ToEigen(own);
    const Matrix6d X = Adjoint(InversePose(axes.matrix()));
    const Matrix3d I = Eigen::Map<const Vector3d>(moments.data()).asDiagonal();
    G += X.transpose() * SpatialInertiaMatrix(mass, Vector3d::Zero(), I) * X;
    placements.push_back(placement);
  }

  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::vector<Isometry3d> placements;  // of body, f0, f1, ... in the body
  Matrix6d G = Matrix6d::Zero();       // of all fixed links, in body axes
  Isometry3d hand;                     // in the body
};

TEST(Assembly, FixedJointsKeepInertiasFramesAndPlacements) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FixedTree t(seed);
    const auto [model, report, cancelled] = Build(t.links, t.joints);
    ASSERT_NE(model, nullptr) << Messages(report);
    const Tree tree = model->tree();
    ASSERT_EQ(tree.n, 2);
    const TreeBody &body = tree.bodies[0], &hand = tree.bodies[1];
    const auto* I = body.I;
    const Eigen::Map<const Vector3d> h(body.h);
    Matrix6d G;
    G << Matrix3d{{I[0], I[1], I[2]}, {I[1], I[3], I[4]}, {I[2], I[4], I[5]}},
        Skew(h), -Skew(h), body.mass * Matrix3d::Identity();
    // Round-off: some 30 sums of terms up to the trace.
    const double slack = 1e-14 * t.G.topLeftCorner<3, 3>().trace();
    EXPECT_LT((G - t.G).cwiseAbs().maxCoeff(), slack);
    for (std::size_t i = 0; i < t.placements.size(); ++i) {
      const auto index = model->FindFrame(t.links[i + 1].name);
      ASSERT_TRUE(index);
      const Frame& frame = model->frames()[*index];
      EXPECT_EQ(frame.body, 0);
      ExpectSamePose(ToEigen(frame.pose), t.placements[i]);
    }
    EXPECT_EQ(hand.parent, 0);
    EXPECT_EQ(hand.motion, JointMotion::kPrismatic);
    ExpectSamePose(ToEigen(hand), t.hand);
    EXPECT_EQ(model->joints()[1].parent, 0);
    EXPECT_EQ(model->joints()[1].parent_link, "f5");
  }
}

TEST(Assembly, ALonelyLinkOnTheBaseIsTakenOverToTheBit) {
  JointDescription mount =
      JointOf("mount", JointKind::kFixed, "base", "stand", {1, 2, 3});
  mount.origin.R = Pose::FromXyzRpy({}, {0, 0, 0.5}).R;
  LinkDescription link = Link("arm", 0.1);
  link.inertial->inertia = {0.1, 0.01, 0.02, 0.11, 0.03, 0.12};
  JointDescription joint = JointOf("j", JointKind::kPrismatic, "stand", "arm",
                                   {0, 0, 0.1}, {0.6, 0, 0.8});
  joint.armature = 3;
  const LoadResult result =
      Build({Link("base", 5), Link("stand", 7), link}, {mount, joint});
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const Frame& stand = result.model->frames()[1];
  EXPECT_EQ(stand.body, kBase);
  EXPECT_THAT(stand.pose.p, ElementsAre(1, 2, 3));
  const TreeBody& arm = result.model->tree().bodies[0];
  EXPECT_EQ(arm.parent, kBase);
  EXPECT_THAT(arm.p, ElementsAre(1, 2, 3.1));
  EXPECT_THAT(arm.R, ElementsAreArray(mount.origin.R));
  EXPECT_THAT(arm.axis, ElementsAre(0.6, 0, 0.8));
  EXPECT_EQ(result.model->joints()[0].axis, joint.axis);
  EXPECT_EQ(arm.mass, 0.1);
  EXPECT_THAT(arm.I, ElementsAreArray(link.inertial->inertia));
  EXPECT_EQ(arm.armature, 3);
  EXPECT_EQ(result.model->joints()[0].armature, 3);
  EXPECT_EQ(result.model->moving_mass(), 0.1);
}

using Names = std::vector<std::string>;

template <class Named>
Names NamesOf(const Named& all) {
  Names names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

TEST(ModelBuilder, JointsStandInCanonicalOrder) {
  // A trunk with a camera and two arms, of which one hangs behind a fixed
  // joint, given in no special order.
  const LoadResult result =
      Build({Link("right_hand", 1), Link("camera", 1), Link("left_arm", 1),
             Link("trunk", 1), MasslessLink("base"), Link("right_arm", 1),
             Link("left_hand", 1), MasslessLink("plate")},
            {JointOf("r2", JointKind::kPrismatic, "right_arm", "right_hand"),
             JointOf("l2", JointKind::kRevolute, "left_arm", "left_hand",
                     {0, 0, 1}, {1, 0, 0}),
             JointOf("m", JointKind::kFixed, "trunk", "camera"),
             JointOf("waist", JointKind::kContinuous, "base", "trunk"),
             JointOf("r1", JointKind::kRevolute, "trunk", "right_arm"),
             JointOf("z", JointKind::kFixed, "trunk", "plate"),
             JointOf("l1", JointKind::kRevolute, "plate", "left_arm")});
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const Model& model = *result.model;
  EXPECT_THAT(NamesOf(model.joints()),
              ElementsAre("waist", "r1", "r2", "l1", "l2"));
  EXPECT_THAT(NamesOf(model.frames()),
              ElementsAre("base", "trunk", "camera", "right_arm", "right_hand",
                          "plate", "left_arm", "left_hand"));
  const int parents[] = {kBase, 0, 1, 0, 3};
  for (int i = 0; i < model.nv(); ++i) {
    EXPECT_EQ(model.joints()[i].parent, parents[i]);
    EXPECT_EQ(model.tree().bodies[i].parent, parents[i]);
  }
  EXPECT_EQ(model.tip_frame(), std::nullopt) << "never guessed";
  EXPECT_THAT(model.gravity(), ElementsAre(0, 0, -9.81));
}

TEST(ModelBuilder, IncompleteWithoutAnErrorIsNotBelieved) {
  // Else a model could have a nameless link, or none could come without an
  // error.
  LinkDescription nameless = MasslessLink("");
  JointDescription dangling = JointOf("j", JointKind::kFixed, "", "");
  nameless.incomplete = dangling.incomplete = true;
  const LoadResult links = Build({nameless}, {}),
                   joints = Build({MasslessLink("base")}, {dangling});
  EXPECT_EQ(links.model, nullptr);
  EXPECT_EQ(joints.model, nullptr);
  EXPECT_EQ(Count(links.report, LintCode::kInvalidName), 1);
  EXPECT_EQ(Count(joints.report, LintCode::kUnknownLink), 2);
}

struct Edge {
  std::string joint, parent, child;
};

/// Of frames on fixed joints, with the lines 1, 2, ... and 101, 102, ...
LoadResult Frames(const Names& names, const std::vector<Edge>& edges) {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (const std::string& name : names) {
    links.push_back(MasslessLink(name));
    links.back().line = static_cast<int>(links.size());
  }
  for (const Edge& edge : edges) {
    joints.push_back(
        JointOf(edge.joint, JointKind::kFixed, edge.parent, edge.child));
    joints.back().line = 100 + static_cast<int>(joints.size());
  }
  return Build(links, joints);
}

Names OrderOf(const Names& names, const std::vector<Edge>& edges) {
  const LoadResult result = Frames(names, edges);
  EXPECT_NE(result.model, nullptr) << Messages(result.report);
  return result.model == nullptr ? Names{} : NamesOf(result.model->frames());
}

TEST(Topology, SiblingsAreOrderedByJointName) {
  // Byte-wise: digits, capitals, small letters, then other scripts; "j10"
  // before "j2"; a prefix before what it begins. The links' names would give
  // the reverse.
  Names links = {"base"};
  std::vector<Edge> edges;
  for (const char* joint :
       {"10", "A", "Z", "_", "a", "aa", "j10", "j2", "\xC3\xA9"}) {
    links.emplace_back(1, static_cast<char>('z' - edges.size()));
    edges.push_back({joint, "base", links.back()});
  }
  std::ranges::reverse(edges);
  EXPECT_EQ(OrderOf(links, edges), links);
}

TEST(Topology, OrderOfTheInputDoesNotMatter) {
  EXPECT_THAT(OrderOf({"a", "b", "c"}, {{"x", "b", "a"}, {"y", "c", "b"}}),
              ElementsAre("c", "b", "a"));
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    Names links = {"l0"};
    std::vector<Edge> edges;
    for (int i = 1; i < 40; ++i) {
      const std::string name = "l" + std::to_string(i);
      edges.push_back({"j" + std::to_string(random()),
                       links[random() % links.size()], name});
      links.push_back(name);
    }
    const auto expected = OrderOf(links, edges);
    ASSERT_EQ(expected.size(), 40u);
    std::ranges::shuffle(links, random);
    std::ranges::shuffle(edges, random);
    EXPECT_EQ(OrderOf(links, edges), expected);
  }
}

// The table of defects in tests/core/formats has one of each kind.
TEST(Topology, EveryDefectIsReportedOnce) {
  using enum LintCode;
  const struct {
    Names links;
    std::vector<Edge> edges;
    std::vector<LintCode> codes;
    const char* message = "";  // part of the first one
  } cases[] = {
      {{"base", "a", "b", "c"},
       {{"j3", "b", "c"}, {"j1", "c", "a"}, {"j2", "a", "b"}},
       {kCycle},
       "'j3', 'j1', 'j2'"},
      {{"base", "a", "b", "c", "d"},
       {{"j1", "a", "b"}, {"j2", "b", "a"}, {"j3", "c", "d"}, {"j4", "d", "c"}},
       {kCycle, kCycle}},
      // Nor is there a root.
      {{"a", "b"}, {{"j1", "a", "b"}, {"j2", "b", "a"}}, {kCycle}},
      {{"base", "a", "b", "c"},
       {{"j1", "base", "a"},
        {"j2", "base", "b"},
        {"j3", "a", "c"},
        {"j4", "b", "c"}},
       {kTwoParents},
       "'j3' (line 103)"},
      {{"base", "a", "a"},
       {{"j", "base", "a"}},
       {kDuplicateName},
       "first (line 2)"},
      // A link and a joint may share a name.
      {{"base", "j"}, {{"j", "base", "j"}}, {}},
  };
  for (const auto& is : cases) {
    const LoadResult result = Frames(is.links, is.edges);
    EXPECT_EQ(result.model == nullptr, !is.codes.empty());
    std::vector<LintCode> codes;
    std::string messages = Messages(result.report);
    for (const Finding& f : result.report.findings()) codes.push_back(f.code);
    EXPECT_EQ(codes, is.codes) << messages;
    EXPECT_THAT(messages, HasSubstr(is.message));
  }
}

}  // namespace
}  // namespace torqued
