#include "core/teaching/euler.h"

#include <cmath>
#include <limits>

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Forces of step k, which begins at t.
using StepFunction = std::function<VectorXd(int k, double t)>;

// What finds an error throws it.

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

void CheckArguments(const Model& model, Robot::Vector q, Robot::Vector v,
                    double duration, Eigen::Index steps) {
  if (steps < 1 || steps >= std::numeric_limits<int>::max()) {
    throw MotionError{-1, "steps", "There must be at least one step."};
  }
  if (!(duration > 0) || !std::isfinite(duration)) {
    throw MotionError{-1, "duration",
                      "It must be a finite number of seconds above 0."};
  }
  CheckNumbers(-1, "q", q, model.nq());
  CheckNumbers(-1, "v", v, model.nv());
}

void Keep(Eigen::Index states, Eigen::Index accelerations, Motion& motion) {
  motion.t.conservativeResize(states);
  motion.q.conservativeResize(states, Eigen::NoChange);
  motion.v.conservativeResize(states, Eigen::NoChange);
  motion.a.conservativeResize(accelerations, Eigen::NoChange);
}

/// Without a function for the wrench there is none.
Motion Integrate(Robot& robot, Robot::Vector q, Robot::Vector v,
                 double duration, Eigen::Index steps, const StepFunction& tau,
                 const StepFunction& tip_wrench) {
  const int nv = robot.model().nv();
  Motion motion;
  motion.q.resize(0, nv);
  motion.v.resize(0, nv);
  motion.a.resize(0, nv);
  Eigen::Index states = 0, accelerations = 0;
  try {
    CheckArguments(robot.model(), q, v, duration, steps);
    Keep(steps + 1, steps, motion);
    const double step = duration / static_cast<double>(steps);
    VectorXd q_k = q, v_k = v, a_k;
    for (int k = 0; k <= static_cast<int>(steps); ++k) {
      motion.t[k] = k * step;
      motion.q.row(k) = q_k;
      motion.v.row(k) = v_k;
      states = k + 1;
      if (k == steps) break;
      const VectorXd tau_k = tau(k, motion.t[k]);
      CheckNumbers(k, "tau", tau_k, nv);
      if (tip_wrench) {
        const VectorXd wrench = tip_wrench(k, motion.t[k]);
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
  const StepFunction tau = [&](int, double t) -> VectorXd {
    return forces.tau ? forces.tau(t) : VectorXd::Zero(robot.model().nv());
  };
  StepFunction tip_wrench;
  if (forces.tip_wrench) {
    tip_wrench = [&](int, double t) { return forces.tip_wrench(t); };
  }
  return Integrate(robot, q, v, duration, steps, tau, tip_wrench);
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
  return Integrate(robot, q, v, duration, tau.rows(), OfRows(tau),
                   tip_wrench.rows() > 0 ? OfRows(tip_wrench) : nullptr);
}

}  // namespace torqued
