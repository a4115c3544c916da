#include "tests/core/dynamics/thin_robots.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/model/variants.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

std::array<double, 3> Numbers(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

double LogUniform(Random& random, double low, double high) {
  return std::pow(10, random.Uniform(low, high));
}

Eigen::Vector3d Direction(Random& random) {
  if (random.Chance(0.5)) return random.UnitVector();
  return Eigen::Vector3d::Unit(random.Index(3));
}

/// A rod about its centre of mass.
std::array<double, 6> RodInertia(double mass, double length, double thickness,
                                 const Eigen::Vector3d& u) {
  const double across = mass * length * length / 12;
  const double along = 2 * across * thickness * thickness;
  const Eigen::Matrix3d I =
      (across + along / 2) * (Eigen::Matrix3d::Identity() - u * u.transpose()) +
      along * u * u.transpose();
  return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

Pose Inverse(const Pose& ab) {
  Pose ba;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      ba.R[3 * i + j] = ab.R[3 * j + i];
      ba.p[i] -= ab.R[3 * j + i] * ab.p[j];
    }
  }
  return ba;
}

double Angle(Random& random) {
  switch (random.Index(4)) {
    case 0:
      return random.Index(4) * std::numbers::pi / 2;
    case 1: {
      const double right_angles = random.Index(4) * std::numbers::pi / 2;
      return right_angles + LogUniform(random, -10, -1);
    }
    default:
      return random.Uniform(-3, 3);
  }
}

}  // namespace

ThinRobot MakeThinRobot(std::uint64_t seed, const ThinRobotOptions& options) {
  Random random(seed);
  // What moves the frames does not move the random numbers of the robot.
  Random frames(seed + 1'000'000);
  const int n = 1 + random.Index(options.most_joints);
  const bool tree = random.Chance(0.3);
  std::vector<LinkDescription> links = {MasslessLink("link00")};
  std::vector<JointDescription> joints;
  std::vector<Eigen::Vector3d> ends = {Eigen::Vector3d::Zero()};
  // Of the frame in which the link's own numbers stand, in that of the link.
  std::vector<Pose> moved(1);
  std::vector<double> positions;  // by joint as it was added
  for (int i = 1; i <= n; ++i) {
    const int parent = tree ? random.Index(i) : i - 1;
    const std::string number = std::to_string(100 + i).substr(1);
    const bool slides = random.Chance(0.15);
    const double mass = LogUniform(random, -5, 1);
    const double length = LogUniform(random, -2, 0);
    const double thickness = LogUniform(random, -9, 0);
    const Eigen::Vector3d axis = Direction(random);
    const Eigen::Vector3d u = random.Chance(0.4) ? axis : Direction(random);
    const Eigen::Vector3d origin =
        random.Chance(0.6)
            ? Eigen::Vector3d(ends[static_cast<std::size_t>(parent)])
            : Eigen::Vector3d(random.Vector(3, -0.3, 0.3));
    const double armature =
        random.Chance(0.1) ? LogUniform(random, -12, -2) : 0;
    const double q = slides ? random.Uniform(-0.5, 0.5) : Angle(random);
    positions.push_back(slides ? q * options.length : q);

    Pose shift;
    if (options.move_frames) {
      const Eigen::Matrix3d R =
          Eigen::AngleAxisd(frames.Uniform(-3, 3), axis).toRotationMatrix();
      for (int k = 0; k < 9; ++k) shift.R[k] = R(k / 3, k % 3);
      shift.p = Numbers(axis * frames.Uniform(-1, 1) * options.length);
    }
    const auto in_moved = [&shift](const Pose& pose) {
      return Inverse(shift) * pose;
    };
    LinkInertial inertial;
    inertial.mass = mass * options.mass;
    inertial.inertia =
        RodInertia(mass * options.mass, length * options.length, thickness, u);
    Pose center;
    center.p = Numbers(u * (length * options.length / 2));
    inertial.origin = in_moved(center);
    LinkDescription link;
    link.name = "link" + number;
    link.inertial = inertial;
    links.push_back(std::move(link));

    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = slides ? JointDescription::Type::kPrismatic
                        : JointDescription::Type::kContinuous;
    joint.parent = "link" + std::to_string(100 + parent).substr(1);
    joint.child = "link" + number;
    Pose at;
    at.p = Numbers(origin * options.length);
    joint.origin =
        Inverse(moved[static_cast<std::size_t>(parent)]) * at * shift;
    joint.axis = Numbers(axis);
    joint.armature = armature * options.mass *
                     (slides ? 1 : options.length * options.length);
    joints.push_back(std::move(joint));
    ends.push_back(u * length);
    moved.push_back(shift);
  }
  ThinRobot robot;
  if (Build(links, joints).model == nullptr) return robot;
  // With rotors no model needs double precision.
  std::vector<JointDrive> drives;
  std::vector<JointDescription> heavy = joints;
  for (JointDescription& joint : heavy) {
    joint.armature = 1e6 * options.mass * options.length * options.length;
  }
  const auto model = Build(links, heavy).model;
  for (const Joint& joint : model->joints()) {
    const auto number = std::stoul(joint.name.substr(5));
    robot.q.push_back(positions[number - 1]);
    drives.push_back({.armature = joints[number - 1].armature});
  }
  robot.model = WithDrives(model, drives);
  return robot;
}

}  // namespace torqued::testing_support
