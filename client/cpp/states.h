// What goes into a computation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::client {

/// One row per state. A single state is a batch of one row.
using Batch =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Joint columns follow the model's canonical order unless
/// ComputeOptions::joint_names says otherwise. SI units. An empty batch is an
/// absent input (all but q and tau: zeros); a batch of one row serves all
/// states.
struct States {
  Batch q = {};
  Batch v = {};
  Batch a = {};
  Batch tau = {};
  /// 6 columns (angular; linear) each, base axes; see
  /// torqued.v1.ComputeRequest.
  Batch base_twist = {};
  Batch base_acceleration = {};
  /// 6 columns (moment; force) for each of ComputeOptions::external_wrenches.
  Batch external_wrenches_on_robot = {};
  /// A column for each axis of the task, for QUANTITY_TASK_TORQUE, and nv.
  Batch task_acceleration = {};
  Batch null_space_torque = {};
  /// 3 columns, base axes, m/s^2; empty: that of the options, or the model's.
  Batch gravity = {};
};

/// A wrench that the tip frame's link exerts on the environment: 6 columns,
/// moment [N m], then force [N].
struct TipWrench {
  Batch wrench = {};
  /// Unspecified: local.
  v1::ReferenceFrame reference_frame = v1::REFERENCE_FRAME_UNSPECIFIED;
};

/// Where an external wrench acts, and how it is given.
struct WrenchPlace {
  /// Link name; empty: the tip frame of the options, or the model's.
  std::string frame = {};
  /// Unspecified: local.
  v1::ReferenceFrame reference_frame = v1::REFERENCE_FRAME_UNSPECIFIED;
};

/// A rigid body that a frame carries; see torqued.v1.Payload.
struct Payload {
  /// Link name; empty: the tip frame of the options, or the model's.
  std::string frame = {};
  double mass = 0;                                           // kg
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  // m
  /// Ixx Ixy Ixz Iyy Iyz Izz about the centre of mass, kg m^2.
  std::array<double, 6> inertia = {};
};

/// What an operational space is made of; see
/// torqued.v1.OperationalSpaceOptions.
struct TaskOptions {
  /// Empty: all six, angular first.
  std::vector<v1::TaskAxis> axes = {};
  /// mu of the damped rule; absent: singular rows are reported and range
  /// restricted.
  std::optional<double> damping = {};
  std::optional<double> rank_tolerance = {};
  /// m, from 1e-30 to 1e30.
  std::optional<double> characteristic_length = {};
  /// Evaluation::sigma_min is wanted, which costs a decomposition per row.
  bool sigma_min = false;
};

/// Rows that are done, of all rows.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct ComputeOptions {
  /// Every movable joint exactly once; empty: canonical order.
  std::vector<std::string> joint_names = {};
  /// Gravitational acceleration in base axes, m/s^2; absent: the model's.
  std::optional<Eigen::Vector3d> gravity = {};
  bool viscous_friction = false;
  bool coulomb_friction = false;
  /// A velocity e > 0: Coulomb friction is F_s tanh(v / e). 0: F_s sgn(v).
  double coulomb_smoothing = 0;
  /// Empty: the model's tip frame.
  std::string tip_frame = {};
  /// Of what refers to the tip and of the task. Unspecified: local.
  v1::ReferenceFrame reference_frame = v1::REFERENCE_FRAME_UNSPECIFIED;
  std::optional<TipWrench> tip_wrench_on_environment = {};
  TaskOptions task = {};
  /// Of States::external_wrenches_on_robot.
  std::vector<WrenchPlace> external_wrenches = {};
  std::optional<Payload> payload = {};
  /// Of the computing. Unspecified: double. Arrays travel in double precision
  /// either way, so single precision saves little here. Some models are
  /// computed in double whatever is asked for: see Echo.computed_precision.
  v1::Precision precision = v1::PRECISION_UNSPECIFIED;
  /// Throw (ROW_FAILED) when a row is not OK.
  bool fail_fast = false;
  /// For the whole batch, with all retries; absent: that of the connection.
  std::optional<std::chrono::milliseconds> deadline = {};
  /// Called after each part of a large batch, never from two threads at once.
  Progress progress = {};
};

}  // namespace torqued::client
