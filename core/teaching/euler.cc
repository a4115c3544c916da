#include "core/teaching/euler.h"

#include <cmath>

namespace torqued {
namespace {

using Eigen::VectorXd;

void CheckNumbers(int step, const char* field, Robot::Vector numbers,
                  int size) {
  if (numbers.size() != size) {
    throw MotionError{step, field,
                      "It has " + std::to_string(numbers.size()) +
                          " numbers instead of " + std::to_string(size) + "."};
  }
  if (!numbers.allFinite()) {
    throw MotionError{step, field, "All numbers must be finite."};
  }
}

void Keep(Eigen::Index states, Eigen::Index accelerations, Motion& motion) {
  motion.t.conservativeResize(states);
  motion.q.conservativeResize(states, Eigen::NoChange);
  motion.v.conservativeResize(states, Eigen::NoChange);
  motion.a.conservativeResize(accelerations, Eigen::NoChange);
}

}  // namespace

VectorXd EulerStep(const RateOfState& rate, double t, const VectorXd& x,
                   double step) {
  return x + step * rate(t, x);
}

Motion IntegrateEuler(Robot& robot, Robot::Vector q, Robot::Vector v,
                      double duration, int steps, const ActingForces& forces) {
  const int nv = robot.model().nv();
  Motion motion;
  motion.q.resize(0, nv);
  motion.v.resize(0, nv);
  motion.a.resize(0, nv);
  Eigen::Index states = 0, accelerations = 0;
  try {
    if (steps < 1) {
      throw MotionError{-1, "steps", "There must be at least one step."};
    }
    if (!(duration > 0) || !std::isfinite(duration)) {
      throw MotionError{-1, "duration",
                        "It must be a finite number of seconds above 0."};
    }
    CheckNumbers(-1, "q", q, nv);
    CheckNumbers(-1, "v", v, nv);
    Keep(steps + 1, steps, motion);
    const double step = duration / steps;
    VectorXd q_k = q, v_k = v, a_k;
    for (int k = 0; k <= steps; ++k) {
      motion.t[k] = k * step;
      motion.q.row(k) = q_k;
      motion.v.row(k) = v_k;
      states = k + 1;
      if (k == steps) break;
      const VectorXd tau_k =
          forces.tau ? forces.tau(motion.t[k]) : VectorXd(VectorXd::Zero(nv));
      CheckNumbers(k, "tau", tau_k, nv);
      if (forces.tip_wrench) {
        const VectorXd wrench = forces.tip_wrench(motion.t[k]);
        CheckNumbers(k, "tip_wrench", wrench, 6);
        a_k = robot.ForwardDynamics(q_k, v_k, tau_k, wrench);
      } else {
        a_k = robot.ForwardDynamics(q_k, v_k, tau_k);
      }
      if (!robot.last_error().empty()) {
        throw MotionError{k, "a", robot.last_error()};
      }
      motion.a.row(k) = a_k;
      accelerations = k + 1;
      q_k += step * v_k;
      v_k += step * a_k;
      if (q_k.allFinite() && v_k.allFinite()) continue;
      throw MotionError{k, q_k.allFinite() ? "v" : "q",
                        "The state after this step is not finite."};
    }
  } catch (const MotionError& error) {
    motion.error = error;
    Keep(states, accelerations, motion);
  }
  return motion;
}

}  // namespace torqued
