// What merging fixed joints must keep.
#include "core/model/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <string>
#include <vector>

#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double Uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random_);
  }
  std::array<double, 3> Triple(double r) {
    return {Uniform(-r, r), Uniform(-r, r), Uniform(-r, r)};
  }
  Pose RandomPose() { return Pose::FromXyzRpy(Triple(1), Triple(3)); }

 private:
  std::mt19937 random_;
};

Isometry3d ToEigen(const Pose& pose) {
  Isometry3d T = Isometry3d::Identity();
  T.linear() = Eigen::Map<const RowMajor>(pose.R.data());
  T.translation() = Eigen::Map<const Vector3d>(pose.p.data());
  return T;
}

struct PointMass {
  double mass;
  Vector3d x;
};
using Cloud = std::vector<PointMass>;

// A link that consists of point masses, in the axes of a random inertial
// frame.
LinkDescription CloudLink(const std::string& name, const Cloud& cloud,
                          Draw& draw) {
  double mass = 0;
  Vector3d com = Vector3d::Zero();
  for (const PointMass& p : cloud) {
    mass += p.mass;
    com += p.mass * p.x;
  }
  com /= mass;
  const Pose axes = draw.RandomPose();
  const Matrix3d R = ToEigen(axes).linear();
  Matrix3d I = Matrix3d::Zero();
  for (const PointMass& p : cloud) {
    const Vector3d r = R.transpose() * (p.x - com);
    I += p.mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  }
  LinkDescription link = MasslessLink(name);
  LinkInertial inertial;
  inertial.mass = mass;
  inertial.origin.R = axes.R;
  inertial.origin.p = {com.x(), com.y(), com.z()};
  inertial.inertia = {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
  link.inertial = inertial;
  return link;
}

Cloud RandomCloud(Draw& draw) {
  Cloud cloud;
  for (int i = 0; i < 5; ++i) {
    const auto x = draw.Triple(0.5);
    cloud.push_back({draw.Uniform(0.1, 2), {x[0], x[1], x[2]}});
  }
  return cloud;
}

// Mass, first moment and inertia about the origin must be those of the
// points, summed one by one.
void ExpectSame(const TreeBody& body, const Cloud& cloud) {
  double mass = 0;
  Vector3d h = Vector3d::Zero();
  Matrix3d I = Matrix3d::Zero();
  for (const PointMass& p : cloud) {
    mass += p.mass;
    h += p.mass * p.x;
    I += p.mass *
         (p.x.squaredNorm() * Matrix3d::Identity() - p.x * p.x.transpose());
  }
  // Round-off: some 30 sums of terms up to the trace.
  const double slack = 1e-14 * I.trace();
  EXPECT_NEAR(body.mass, mass, slack);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(body.h[k], h[k], slack);
  const double expected[6] = {I(0, 0), I(0, 1), I(0, 2),
                              I(1, 1), I(1, 2), I(2, 2)};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(body.I[k], expected[k], slack);
}

// base -> (movable) body -> fixed tree of links -> (movable) tip
struct FixedTree {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::vector<Isometry3d> placements;  // of body, f0, f1, ... in the body
  Cloud body_cloud;                    // of all fixed links, in body axes
};

FixedTree MakeFixedTree(Draw& draw) {
  FixedTree t;
  t.links.push_back(MasslessLink("base"));
  const auto add = [&](const std::string& name, const Isometry3d& placement) {
    const Cloud cloud = RandomCloud(draw);
    t.links.push_back(CloudLink(name, cloud, draw));
    t.placements.push_back(placement);
    for (const PointMass& p : cloud) {
      t.body_cloud.push_back({p.mass, placement * p.x});
    }
  };
  t.joints.push_back(JointOf("j0", JointKind::kRevolute, "base", "body"));
  add("body", Isometry3d::Identity());
  std::vector<std::string> names = {"body"};
  for (int i = 0; i < 6; ++i) {
    const std::size_t parent =
        static_cast<std::size_t>(draw.Uniform(0, static_cast<double>(i + 1)));
    const std::string name = "f" + std::to_string(i);
    JointDescription joint = JointOf("fix" + std::to_string(i),
                                     JointKind::kFixed, names[parent], name);
    joint.origin = draw.RandomPose();
    add(name, t.placements[parent] * ToEigen(joint.origin));
    t.joints.push_back(joint);
    names.push_back(name);
  }
  return t;
}

TEST(Assembly, FixedJointMergePreservesCompositeInertia) {
  Draw draw(11);
  for (int round = 0; round < 20; ++round) {
    const FixedTree t = MakeFixedTree(draw);
    const LoadResult result = Build(t.links, t.joints);
    ASSERT_NE(result.model, nullptr) << Messages(result.report);
    ASSERT_EQ(result.model->tree().n, 1);
    ExpectSame(result.model->tree().bodies[0], t.body_cloud);
  }
}

TEST(Assembly, LeavingALinkOutChangesTheComposite) {
  // The twin: the comparison above can fail.
  Draw draw(12);
  FixedTree t = MakeFixedTree(draw);
  t.links.back().inertial.reset();
  const LoadResult result = Build(t.links, t.joints);
  ASSERT_NE(result.model, nullptr);
  double mass = 0;
  for (const PointMass& p : t.body_cloud) mass += p.mass;
  EXPECT_LT(result.model->tree().bodies[0].mass, mass - 0.1);
}

TEST(Assembly, FramesOfMergedLinksKeepTheirPlacement) {
  Draw draw(13);
  for (int round = 0; round < 20; ++round) {
    const FixedTree t = MakeFixedTree(draw);
    const LoadResult result = Build(t.links, t.joints);
    ASSERT_NE(result.model, nullptr);
    for (std::size_t i = 0; i < t.placements.size(); ++i) {
      const auto index = result.model->FindFrame(t.links[i + 1].name);
      ASSERT_TRUE(index);
      const BodyFrame& frame = result.model->frames()[*index].placement;
      EXPECT_EQ(frame.body, 0);
      const Eigen::Map<const RowMajor> R(frame.R);
      const Eigen::Map<const Vector3d> p(frame.p);
      EXPECT_LT((R - t.placements[i].linear()).norm(), 1e-14);
      EXPECT_LT((p - t.placements[i].translation()).norm(), 1e-14);
    }
  }
}

TEST(Assembly, PlacementOfAJointGoesThroughFixedJoints) {
  Draw draw(14);
  FixedTree t = MakeFixedTree(draw);
  JointDescription last = JointOf("next", JointKind::kPrismatic, "f5", "hand",
                                  {0, 0, 0}, {0, 1, 0});
  last.origin = draw.RandomPose();
  t.joints.push_back(last);
  t.links.push_back(Link("hand", 1));
  const LoadResult result = Build(t.links, t.joints);
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  ASSERT_EQ(result.model->tree().n, 2);
  const TreeBody& body = result.model->tree().bodies[1];
  const Isometry3d expected = t.placements.back() * ToEigen(last.origin);
  EXPECT_EQ(body.parent, 0);
  EXPECT_EQ(body.motion, JointMotion::kPrismatic);
  EXPECT_LT((Eigen::Map<const RowMajor>(body.R) - expected.linear()).norm(),
            1e-14);
  EXPECT_LT(
      (Eigen::Map<const Vector3d>(body.p) - expected.translation()).norm(),
      1e-14);
  EXPECT_EQ(result.model->joints()[1].parent, 0);
  EXPECT_EQ(result.model->joints()[1].parent_link, "f5");
}

TEST(Assembly, LinksFixedToTheBaseBelongToTheBase) {
  JointDescription mount =
      JointOf("mount", JointKind::kFixed, "base", "stand", {1, 2, 3});
  mount.origin.R = Pose::FromXyzRpy({}, {0, 0, 0.5}).R;
  const LoadResult result = Build(
      {Link("base", 5), Link("stand", 7), Link("arm", 2)},
      {mount, JointOf("j", JointKind::kRevolute, "stand", "arm", {0, 0, 1})});
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const Frame& stand = result.model->frames()[1];
  EXPECT_EQ(stand.name, "stand");
  EXPECT_EQ(stand.placement.body, kBase);
  EXPECT_THAT(stand.placement.p, testing::ElementsAre(1, 2, 3));
  const TreeBody& arm = result.model->tree().bodies[0];
  EXPECT_EQ(arm.parent, kBase);
  EXPECT_THAT(arm.p, testing::ElementsAre(1, 2, 4));
  EXPECT_THAT(arm.R, testing::ElementsAreArray(mount.origin.R));
  EXPECT_EQ(result.model->moving_mass(), 2);
}

TEST(Assembly, LonelyLinkIsTakenOverToTheBit) {
  LinkDescription arm = MasslessLink("arm");
  arm.inertial = LinkInertial{.origin = {},
                              .mass = 0.1,
                              .inertia = {0.1, 0.01, 0.02, 0.11, 0.03, 0.12},
                              .line = 0};
  const LoadResult result = Build(
      {MasslessLink("base"), arm},
      {JointOf("j", JointKind::kRevolute, "base", "arm", {0.1, 0.2, 0.3})});
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const TreeBody& body = result.model->tree().bodies[0];
  EXPECT_EQ(body.mass, 0.1);
  EXPECT_THAT(body.I, testing::ElementsAreArray(arm.inertial->inertia));
  EXPECT_THAT(body.p, testing::ElementsAre(0.1, 0.2, 0.3));
}

}  // namespace
}  // namespace torqued
