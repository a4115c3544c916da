#include "tests/core/model/test_trees.h"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <utility>

#include "tests/support/load_model.h"

namespace torqued {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using testing_support::Random;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr double kPi = std::numbers::pi;

Vector3d RandomAxis(Random& random) {
  if (random.Chance(0.5)) return random.UnitVector();
  const double sign = random.Chance(0.5) ? 1 : -1;
  return sign * Vector3d::Unit(random.Index(3));
}

// A unit vector at right angles to z.
Vector3d RandomNormal(const Vector3d& z, Random& random) {
  return z.cross(random.UnitVector()).normalized();
}

// A body of a few points, so that the inertia is that of a rigid body.
void AddMatter(Random& random, TreeBody& body) {
  Matrix3d I = Matrix3d::Zero();
  for (int point = 0; point < 5; ++point) {
    const double mass = random.Uniform(0.2, 1);
    const Vector3d x = random.Vector(3, -0.3, 0.3);
    body.mass += mass;
    Eigen::Map<Vector3d>(body.h) += mass * x;
    I += mass * (x.squaredNorm() * Matrix3d::Identity() - x * x.transpose());
  }
  const double numbers[6] = {I(0, 0), I(0, 1), I(0, 2),
                             I(1, 1), I(1, 2), I(2, 2)};
  std::copy(std::begin(numbers), std::end(numbers), body.I);
}

// A body whose axis, seen from its parent, is `direction` through `p`.
TreeBody Body(int parent, JointMotion motion, const Vector3d& direction,
              const Vector3d& p, Random& random) {
  TreeBody body{};
  body.parent = parent;
  body.motion = motion;
  const Vector3d axis = RandomAxis(random);
  const Quaterniond R = AngleAxisd(random.Uniform(-kPi, kPi), direction) *
                        Quaterniond::FromTwoVectors(axis, direction);
  Eigen::Map<RowMajor3d>(body.R) = R.normalized().toRotationMatrix();
  Eigen::Map<Vector3d>(body.p) = p;
  Eigen::Map<Vector3d>(body.axis) = axis;
  AddMatter(random, body);
  body.armature = random.Chance(0.5) ? random.Uniform(0, 0.5) : 0;
  body.viscous_friction = random.Uniform(0, 1);
  body.coulomb_friction = random.Uniform(0, 1);
  return body;
}

Vector3d AxisOf(const TestTree& tree, int i) {
  return Eigen::Map<const Vector3d>(tree.bodies[i].axis);
}

Vector3d Direction(AxisRelation relation, const Vector3d& z, Random& random) {
  switch (relation) {
    case AxisRelation::kAny:
    case AxisRelation::kIntersecting:
      break;
    case AxisRelation::kParallel:
    case AxisRelation::kCoincident:
      return z;
    case AxisRelation::kAntiparallel:
    case AxisRelation::kOppositeCoincident:
      return -z;
    case AxisRelation::kPerpendicular:
    case AxisRelation::kRightIntersecting:
      return RandomNormal(z, random);
  }
  return random.UnitVector();
}

// A chain of axes along x, y and z with the angles that URDF files state.
TestTree UrdfChain(std::string name, double right_angle,
                   const std::vector<Vector3d>& turns) {
  Random random(77);
  TestTree out{.name = std::move(name), .bodies = {}};
  for (const Vector3d& turn : turns) {
    const int parent = static_cast<int>(out.bodies.size()) - 1;
    TreeBody body = Body(parent, JointMotion::kRevolute, Vector3d::UnitZ(),
                         random.Vector(3, -0.4, 0.4), random);
    Eigen::Map<RowMajor3d>(body.R) =
        (AngleAxisd(right_angle * turn.z(), Vector3d::UnitZ()) *
         AngleAxisd(right_angle * turn.y(), Vector3d::UnitY()) *
         AngleAxisd(right_angle * turn.x(), Vector3d::UnitX()))
            .toRotationMatrix();
    Eigen::Map<Vector3d>(body.axis) = Vector3d::UnitZ();
    out.bodies.push_back(body);
  }
  return out;
}

TestTree PrismaticAt(const std::string& name, int n,
                     const std::vector<int>& where, AxisRelation relation) {
  Random random(static_cast<std::uint64_t>(n) + where.size());
  TestTree out{.name = name, .bodies = {}};
  for (int i = 0; i < n; ++i) {
    bool prismatic = false;
    for (const int joint : where) prismatic = prismatic || joint == i;
    AddBody(i - 1, prismatic ? JointMotion::kPrismatic : JointMotion::kRevolute,
            relation, random, out);
  }
  return out;
}

TestTree ThreeChildren() {
  Random random(5);
  TestTree out{.name = "three children, twice", .bodies = {}};
  for (const int parent : {kBase, 0, 1, 1, 3, 3, 3, 6, 1, 0, 0}) {
    AddBody(parent, JointMotion::kRevolute, AxisRelation::kPerpendicular,
            random, out);
  }
  return out;
}

// A root with a parallel slider that leaves its x to the larger arm beside.
TestTree SliderBesideArm() {
  Random random(6);
  TestTree out{.name = "slider beside arm", .bodies = {}};
  AddBody(kBase, JointMotion::kRevolute, AxisRelation::kAny, random, out);
  AddBody(0, JointMotion::kPrismatic, AxisRelation::kParallel, random, out);
  AddBody(1, JointMotion::kRevolute, AxisRelation::kAny, random, out);
  AddBody(2, JointMotion::kRevolute, AxisRelation::kAny, random, out);
  AddBody(0, JointMotion::kRevolute, AxisRelation::kAny, random, out);
  return out;
}

void AddRandomTrees(std::vector<TestTree>& out) {
  for (int seed = 0; seed < 60; ++seed) {
    out.push_back(RandomTree(static_cast<std::uint64_t>(seed), 1 + seed % 12,
                             seed % 3 == 0 ? 0 : 0.3, seed % 4 == 0 ? 0 : 0.3));
  }
}

void AddRobots(std::vector<TestTree>& out) {
  for (const char* name : {"panda", "planar_2r", "ur5e"}) {
    const auto model = testing_support::ShippedModel(name);
    if (model != nullptr) out.push_back(CopyOf(*model, name));
  }
  for (int seed = 0; seed < 60; ++seed) {
    testing_support::RandomRobotOptions options;
    options.dof = 1 + seed % 9;
    options.friction = true;
    options.right_angle_share = seed < 20 ? 0 : 1;
    const auto robot = testing_support::MakeRandomRobot(
        static_cast<std::uint64_t>(seed), options);
    const auto model = testing_support::LoadModel(robot.urdf, robot.tip);
    if (model == nullptr) continue;
    out.push_back(CopyOf(*model, "robot " + std::to_string(seed)));
  }
}

void AddSpecialCases(std::vector<TestTree>& out) {
  const auto all = {
      AxisRelation::kAny,          AxisRelation::kParallel,
      AxisRelation::kAntiparallel, AxisRelation::kPerpendicular,
      AxisRelation::kCoincident,   AxisRelation::kOppositeCoincident,
      AxisRelation::kIntersecting, AxisRelation::kRightIntersecting};
  for (const AxisRelation relation : all) {
    const std::string which =
        " of relation " + std::to_string(static_cast<int>(relation));
    out.push_back(PrismaticAt("revolute" + which, 7, {}, relation));
    out.push_back(PrismaticAt("first slides" + which, 5, {0}, relation));
    out.push_back(PrismaticAt("middle slides" + which, 6, {2, 3}, relation));
    out.push_back(PrismaticAt("last slides" + which, 5, {4}, relation));
    out.push_back(PrismaticAt("all slide" + which, 3, {0, 1, 2}, relation));
  }
  out.push_back(PrismaticAt("one joint", 1, {}, AxisRelation::kAny));
  out.push_back(PrismaticAt("one slider", 1, {0}, AxisRelation::kAny));
  out.push_back({.name = "no joint", .bodies = {}});
  out.push_back(ThreeChildren());
  out.push_back(SliderBesideArm());
  const std::vector<Vector3d> turns = {{0, 0, 0}, {1, 0, 0},  {-1, 0, 0},
                                       {0, 1, 0}, {0, 0, 1},  {2, 0, 0},
                                       {1, 0, 1}, {-1, 0, 1}, {0, 2, 1}};
  out.push_back(UrdfChain("right angle, exact", kPi / 2, turns));
  for (const double angle : {1.57, 1.5708, 1.57079632679}) {
    out.push_back(UrdfChain("right angle, rounded " + std::to_string(angle),
                            angle, turns));
  }
}

}  // namespace

void AddBody(int parent, JointMotion motion, AxisRelation relation,
             Random& random, TestTree& out) {
  const Vector3d z = parent == kBase ? Vector3d::UnitZ() : AxisOf(out, parent);
  if (parent == kBase) relation = AxisRelation::kAny;
  Vector3d p = random.Vector(3, -0.3, 0.3);
  const bool on_axis = relation == AxisRelation::kCoincident ||
                       relation == AxisRelation::kOppositeCoincident ||
                       relation == AxisRelation::kIntersecting ||
                       relation == AxisRelation::kRightIntersecting;
  if (on_axis) p = z * random.Uniform(-0.3, 0.3);
  const Vector3d direction = Direction(relation, z, random);
  TreeBody body = Body(parent, motion, direction, p, random);
  if (on_axis && relation != AxisRelation::kCoincident) {
    // The two axes meet beside the origins, too.
    Eigen::Map<Vector3d>(body.p) += direction * random.Uniform(-0.2, 0.2);
  }
  out.bodies.push_back(body);
}

void AddBodyAtSine(int parent, double sine, Random& random, TestTree& out) {
  const Vector3d z = AxisOf(out, parent);
  const Vector3d direction =
      std::sqrt(1 - sine * sine) * z + sine * RandomNormal(z, random);
  out.bodies.push_back(Body(parent, JointMotion::kRevolute, direction,
                            random.Vector(3, -0.3, 0.3), random));
}

TestTree RandomTree(std::uint64_t seed, int n, double prismatic_share,
                    double branching) {
  Random random(seed + 4000);
  TestTree out{.name = "tree " + std::to_string(seed), .bodies = {}};
  for (int i = 0; i < n; ++i) {
    // Depth-first: on the body before or on one that carries it.
    int parent = i - 1;
    while (parent != kBase && random.Chance(branching)) {
      parent = out.bodies[parent].parent;
    }
    const bool prismatic = random.Chance(prismatic_share);
    AddBody(parent,
            prismatic ? JointMotion::kPrismatic : JointMotion::kRevolute,
            static_cast<AxisRelation>(random.Index(8)), random, out);
  }
  return out;
}

TestTree CopyOf(const Model& model, std::string name) {
  const Tree tree = model.tree();
  return {.name = std::move(name),
          .bodies = std::vector<TreeBody>(tree.bodies, tree.bodies + tree.n)};
}

std::vector<TestTree> ReasonableTrees() {
  std::vector<TestTree> out;
  AddRandomTrees(out);
  AddRobots(out);
  AddSpecialCases(out);
  return out;
}

TestTree NearParallelChain(double sine, std::uint64_t seed) {
  Random random(seed);
  TestTree out{.name = "sine " + std::to_string(std::log10(sine)) +
                       " decades, seed " + std::to_string(seed),
               .bodies = {}};
  for (int i = 0; i < 8; ++i) {
    if (i == 4 || i == 6 || i == 7) {
      AddBodyAtSine(i - 1, sine, random, out);
    } else {
      AddBody(i - 1, JointMotion::kRevolute, AxisRelation::kAny, random, out);
    }
  }
  return out;
}

}  // namespace torqued
