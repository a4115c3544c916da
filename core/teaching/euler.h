// Explicit Euler integration (Lynch & Park 2017, section 8.5), first order in
// the step, without conservation of energy.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>

#include "core/engine/robot.h"

namespace torqued {

/// ẋ = f(t, x).
using RateOfState =
    std::function<Eigen::VectorXd(double t, const Eigen::VectorXd& x)>;
/// Torques, or a wrench, at a time in s.
using TimeFunction = std::function<Eigen::VectorXd(double t)>;

/// x + step f(t, x).
Eigen::VectorXd EulerStep(const RateOfState& rate, double t,
                          const Eigen::VectorXd& x, double step);

/// Loads of a robot while it moves.
struct ActingForces {
  /// τ(t), nv numbers, N m or N. Empty: zeros.
  TimeFunction tau = {};
  /// 6 numbers (moment; force) that the tip exerts on the environment, in the
  /// robot's reference frame of its tip. Empty: none.
  TimeFunction tip_wrench = {};
};

/// Why a motion ends early or was not computed at all.
struct MotionError {
  /// k of the step from t_k to t_k+1; -1: an argument, nothing was computed.
  int step = -1;
  std::string field;    // "steps", "q", "tau", "a", ...
  std::string message;  // one sentence
};

/// N + 1 states, one a row, unless there is an error: then the states up to the
/// last one that is finite. Row k of `a` is the acceleration in state k; the
/// last state has none.
struct Motion {
  Eigen::VectorXd t;  // s
  Eigen::MatrixXd q;
  Eigen::MatrixXd v;
  Eigen::MatrixXd a;
  std::optional<MotionError> error;
};

/// N steps of δ = duration / N, k = 0 … N − 1:
///   q̈_k = FD(q_k, q̇_k, τ(k δ), F_tip(k δ))
///   q_{k+1} = q_k + δ q̇_k,   q̇_{k+1} = q̇_k + δ q̈_k
/// with the gravity and friction terms of the robot's options. Positions use
/// the rates before the step; the semi-implicit scheme uses those after it.
Motion IntegrateEuler(Robot& robot, Robot::Vector q, Robot::Vector v,
                      double duration, int steps,
                      const ActingForces& forces = {});

}  // namespace torqued
