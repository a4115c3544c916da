#include "core/teaching/euler.h"

#include <cmath>
#include <limits>
#include <utility>

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Forces of step k, which begins at t.
using StepFunction = std::function<VectorXd(int k, double t)>;

struct StepForces {
  StepFunction tau;
  StepFunction tip_wrench;  // empty: none
};

std::optional<MotionError> CheckNumbers(int step, const char* field,
                                        Robot::Vector numbers, int size) {
  if (numbers.size() != size) {
    return MotionError{step, field,
                       "It has " + std::to_string(numbers.size()) +
                           " numbers instead of " + std::to_string(size) + "."};
  }
  if (!numbers.allFinite()) {
    return MotionError{step, field, "All numbers must be finite."};
  }
  return {};
}

std::optional<MotionError> CheckArguments(const Model& model, Robot::Vector q,
                                          Robot::Vector v, double duration,
                                          Eigen::Index steps) {
  if (steps < 1 || steps >= std::numeric_limits<int>::max()) {
    return MotionError{-1, "steps", "There must be at least one step."};
  }
  if (!(duration > 0) || !std::isfinite(duration)) {
    return MotionError{-1, "duration",
                       "It must be a finite number of seconds above 0."};
  }
  if (auto error = CheckNumbers(-1, "q", q, model.nq())) return error;
  return CheckNumbers(-1, "v", v, model.nv());
}

/// The acceleration of state k, or why there is none.
std::optional<MotionError> Accelerate(Robot& robot, const StepForces& forces,
                                      int k, double t, const VectorXd& q,
                                      const VectorXd& v, VectorXd& a) {
  const VectorXd tau = forces.tau(k, t);
  if (auto error = CheckNumbers(k, "tau", tau, robot.model().nv())) {
    return error;
  }
  if (forces.tip_wrench) {
    const VectorXd wrench = forces.tip_wrench(k, t);
    if (auto error = CheckNumbers(k, "tip_wrench", wrench, 6)) return error;
    a = robot.ForwardDynamics(q, v, tau, wrench);
  } else {
    a = robot.ForwardDynamics(q, v, tau);
  }
  if (robot.last_error().empty()) return {};
  return MotionError{k, "a", robot.last_error()};
}

void Keep(Eigen::Index states, Eigen::Index accelerations, Motion& motion) {
  motion.t.conservativeResize(states);
  motion.q.conservativeResize(states, Eigen::NoChange);
  motion.v.conservativeResize(states, Eigen::NoChange);
  motion.a.conservativeResize(accelerations, Eigen::NoChange);
}

Motion Integrate(Robot& robot, Robot::Vector q, Robot::Vector v,
                 double duration, Eigen::Index steps,
                 const StepForces& forces) {
  const int nv = robot.model().nv();
  Motion motion;
  motion.q.resize(0, nv);
  motion.v.resize(0, nv);
  motion.a.resize(0, nv);
  motion.error = CheckArguments(robot.model(), q, v, duration, steps);
  if (motion.error) return motion;
  Keep(steps + 1, steps, motion);
  const double step = duration / static_cast<double>(steps);
  VectorXd q_k = q, v_k = v, a_k;
  for (int k = 0; k <= static_cast<int>(steps); ++k) {
    motion.t[k] = k * step;
    motion.q.row(k) = q_k;
    motion.v.row(k) = v_k;
    if (k == steps) break;
    motion.error = Accelerate(robot, forces, k, motion.t[k], q_k, v_k, a_k);
    if (motion.error) {
      Keep(k + 1, k, motion);
      break;
    }
    motion.a.row(k) = a_k;
    q_k += step * v_k;
    v_k += step * a_k;
    if (!q_k.allFinite() || !v_k.allFinite()) {
      motion.error = {k, q_k.allFinite() ? "v" : "q",
                      "The state after this step is not finite."};
      Keep(k + 1, k + 1, motion);
      break;
    }
  }
  return motion;
}

StepFunction OfTime(const TimeFunction& function) {
  return [&function](int, double t) { return function(t); };
}

StepFunction OfRows(const MatrixXd& rows) {
  return [&rows](int k, double) -> VectorXd { return rows.row(k); };
}

}  // namespace

VectorXd EulerStep(const RateOfState& rate, double t, const VectorXd& x,
                   double step) {
  return x + step * rate(t, x);
}

Motion IntegrateEuler(Robot& robot, Robot::Vector q, Robot::Vector v,
                      double duration, int steps, const ActingForces& forces) {
  const int nv = robot.model().nv();
  StepForces acting;
  acting.tau = forces.tau ? OfTime(forces.tau) : [nv](int, double) -> VectorXd {
    return VectorXd::Zero(nv);
  };
  if (forces.tip_wrench) acting.tip_wrench = OfTime(forces.tip_wrench);
  return Integrate(robot, q, v, duration, steps, acting);
}

Motion IntegrateEuler(Robot& robot, Robot::Vector q, Robot::Vector v,
                      double duration, const MatrixXd& tau,
                      const MatrixXd& tip_wrench) {
  if (tip_wrench.rows() > 0 && tip_wrench.rows() != tau.rows()) {
    Motion motion;
    motion.error = MotionError{
        -1, "tip_wrench",
        "It has " + std::to_string(tip_wrench.rows()) + " rows instead of " +
            std::to_string(tau.rows()) + ", one for each step."};
    return motion;
  }
  StepForces acting;
  acting.tau = OfRows(tau);
  if (tip_wrench.rows() > 0) acting.tip_wrench = OfRows(tip_wrench);
  return Integrate(robot, q, v, duration, tau.rows(), acting);
}

}  // namespace torqued
