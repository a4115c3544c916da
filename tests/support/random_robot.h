// Seeded random robots and states for tests.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <string>

#include "core/model/model.h"

namespace torqued::testing_support {

/// Random numbers; the same for a seed with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double Uniform(double low, double high);
  /// 0 .. count-1.
  int Index(int count);
  bool Chance(double probability);
  Eigen::VectorXd Vector(int size, double low, double high);
  Eigen::Vector3d UnitVector();
  Eigen::Matrix3d Rotation();

 private:
  std::mt19937_64 engine_;
};

struct RandomRobotOptions {
  enum class Shape : std::uint8_t {
    kChain,  // no branches; the tip is the only leaf link
    kTree,   // two leaf links at least when dof >= 2
  };

  Shape shape = Shape::kTree;
  /// Movable joints.
  int dof = 6;
  /// Of the movable joints; the rest is revolute (with limits).
  double prismatic_share = 0.25;
  double continuous_share = 0.25;
  /// Share of movable joints that hang on a link of their own which a fixed
  /// joint holds. Trees have about as many fixed leaf links besides. Half of
  /// these links are massless.
  double fixed_share = 0.25;
  /// Share of axes along ±x, ±y or ±z; the others point anywhere.
  double coordinate_axis_share = 0.5;
  /// Share of joints, fixed ones too, that are placed as drawings have it:
  /// turned by right angles, shifted along some of the parent link's axes or
  /// not at all, and moving along or about ±x, ±y or ±z.
  double right_angle_share = 0;
  /// Joints with viscous damping and Coulomb friction.
  bool friction = false;
};

/// A robot description without geometry. Every movable link has a mass and a
/// strictly valid inertia with an offset and turned inertial frame; the order
/// of the elements and the alphabet of the names say nothing about the tree.
struct RandomRobot {
  std::string urdf;
  std::string root;  // link
  /// A massless link, turned and shifted like others, fixed to a moving leaf
  /// link.
  std::string tip;
  int dof = 0;
};

RandomRobot MakeRandomRobot(std::uint64_t seed,
                            const RandomRobotOptions& options = {});

/// A state of the model and what may act on it. Vectors in canonical order.
struct State {
  Eigen::VectorXd q;    // within limits; ±π where there are none (±1 m)
  Eigen::VectorXd v;    // ±2
  Eigen::VectorXd a;    // ±2
  Eigen::VectorXd tau;  // ±20
  /// (moment; force) on the environment, ±20.
  Eigen::VectorXd wrench;
};

State MakeRandomState(const Model& model, Random& random);

}  // namespace torqued::testing_support
