#include "tests/core/dynamics/thin_robots.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "tests/core/model/descriptions.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

std::array<double, 3> Numbers(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

Pose At(const Eigen::Vector3d& p) {
  Pose pose;
  pose.p = Numbers(p);
  return pose;
}

/// Of two digits, so that names sort as numbers.
std::string Name(const char* what, int number) {
  return what + std::to_string(100 + number).substr(1);
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
  const int kind = random.Index(4);
  if (kind > 1) return random.Uniform(-3, 3);
  const double right_angles = random.Index(4) * std::numbers::pi / 2;
  return right_angles + (kind == 0 ? 0 : LogUniform(random, -10, -1));
}

}  // namespace

ThinRobot MakeThinRobot(std::uint64_t seed, const ThinRobotOptions& options) {
  Random random(seed);
  // What moves the frames does not move the random numbers of the robot.
  Random frames(seed + 1'000'000);
  const int n = 1 + random.Index(options.most_joints);
  const bool tree = random.Chance(0.3);
  std::vector<LinkDescription> links = {MasslessLink(Name("link", 0))};
  std::vector<JointDescription> joints;
  std::vector<Eigen::Vector3d> ends = {Eigen::Vector3d::Zero()};
  // Of the frame in which the link's own numbers stand, in that of the link.
  std::vector<Pose> moved(1);
  std::vector<double> positions;  // by joint as it was added
  for (int i = 1; i <= n; ++i) {
    const int parent = tree ? random.Index(i) : i - 1;
    const bool slides = random.Chance(0.15);
    const double mass = options.mass * LogUniform(random, -5, 1);
    const double length = options.length * LogUniform(random, -2, 0);
    const double thickness = LogUniform(random, -9, 0);
    const Eigen::Vector3d axis = Direction(random);
    const Eigen::Vector3d u = random.Chance(0.4) ? axis : Direction(random);
    const Eigen::Vector3d origin =
        random.Chance(0.6)
            ? Eigen::Vector3d(ends[parent])
            : Eigen::Vector3d(options.length * random.Vector(3, -0.3, 0.3));
    const double armature =
        random.Chance(0.1) ? LogUniform(random, -12, -2) : 0;
    positions.push_back(slides ? options.length * random.Uniform(-0.5, 0.5)
                               : Angle(random));
    Pose shift;
    if (options.move_frames) {
      const Eigen::Matrix3d R =
          Eigen::AngleAxisd(frames.Uniform(-3, 3), axis).toRotationMatrix();
      for (int k = 0; k < 9; ++k) shift.R[k] = R(k / 3, k % 3);
      shift.p = Numbers(axis * frames.Uniform(-1, 1) * options.length);
    }
    links.push_back(Link(Name("link", i), mass));
    links.back().inertial->inertia = RodInertia(mass, length, thickness, u);
    links.back().inertial->origin = Inverse(shift) * At(u * (length / 2));
    joints.push_back(
        JointOf(Name("joint", i),
                slides ? JointKind::kPrismatic : JointKind::kContinuous,
                Name("link", parent), Name("link", i), {}, Numbers(axis)));
    joints.back().origin = Inverse(moved[parent]) * At(origin) * shift;
    joints.back().armature = armature * options.mass *
                             (slides ? 1 : options.length * options.length);
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
  robot.model = model->WithDrives(drives);
  return robot;
}

WideInverse InvertMassMatrix(const Tree& tree, const std::vector<double>& q) {
  using Matrix = textbook::MatrixX<Wide>;
  const Eigen::Map<const Eigen::VectorXd> angles(q.data(), tree.n);
  const textbook::Configuration<Wide> at(tree, angles.cast<Wide>());
  // Σ J_iᵀ G_i J_i in {i}: light links keep their digits far from the base.
  Matrix M = Matrix::Zero(tree.n, tree.n);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const auto J = textbook::FrameJacobian<Wide>(
        tree, at, {i, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}}, ReferenceFrame::kLocal);
    M += J.transpose() * textbook::InertiaOf<Wide>(body.mass, body.h, body.I) *
         J;
    M(i, i) += body.armature;
  }
  const Eigen::LLT<Matrix> reversed(M.reverse());
  const Matrix inverse = reversed.solve(Matrix::Identity(tree.n, tree.n));
  return {reversed.info() == Eigen::Success, inverse.reverse(),
          reversed.matrixLLT().diagonal().cwiseAbs2().reverse()};
}

}  // namespace torqued::testing_support
