#include "core/trajectory/torque_limit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace torqued {
namespace {

using Vector = Eigen::Map<const Eigen::Vector3d>;

}  // namespace

TorqueLimit::TorqueLimit(std::optional<double> effort,
                         const std::vector<TorqueAtSpeed>& curve,
                         double derating) {
  if (curve.empty()) {
    if (effort) points_.push_back({0, *effort * derating});
    return;
  }
  // The curve cut off at the effort, with a point where they cross.
  const double top = effort ? *effort : kNone;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const TorqueAtSpeed& point = curve[k];
    const TorqueAtSpeed& before = curve[k > 0 ? k - 1 : 0];
    if ((before.torque > top) != (point.torque > top)) {
      const double share =
          (top - before.torque) / (point.torque - before.torque);
      const double speed = before.speed + share * (point.speed - before.speed);
      if (speed > points_.back().speed && speed < point.speed) {
        points_.push_back({speed, top});
      }
    }
    points_.push_back({point.speed, std::min(point.torque, top)});
  }
  for (TorqueAtSpeed& point : points_) point.torque *= derating;
}

double TorqueLimit::At(double speed) const {
  if (points_.empty()) return kNone;
  const double magnitude = std::abs(speed);
  const auto above = std::upper_bound(
      points_.begin(), points_.end(), magnitude,
      [](double s, const TorqueAtSpeed& point) { return s < point.speed; });
  if (above == points_.begin()) return above->torque;
  if (above == points_.end()) return points_.back().torque;
  const TorqueAtSpeed &a = *std::prev(above), &b = *above;
  const double share = (magnitude - a.speed) / (b.speed - a.speed);
  return a.torque + share * (b.torque - a.torque);
}

std::optional<std::string> Validate(const std::vector<TorqueAtSpeed>& curve) {
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const TorqueAtSpeed& point = curve[k];
    if (!(point.speed >= 0 && std::isfinite(point.speed)) ||
        !(point.torque >= 0 && std::isfinite(point.torque))) {
      return "Speeds and torques must be finite and not negative.";
    }
    if (k > 0 && point.speed <= curve[k - 1].speed) {
      return "Speeds must increase.";
    }
  }
  return std::nullopt;
}

TorqueTerms::TorqueTerms(const EvaluationPlan& plan, double load_reach) {
  const Model& model = plan.model();
  const Tree tree = model.tree();
  for (int k = 0; k < tree.n; ++k) {
    const auto& order = plan.joint_order();
    const int body = order.empty() ? k : order[k];
    slides_.push_back(tree.bodies[body].motion == JointMotion::kPrismatic);
  }
  const auto& gravity = plan.options().terms.gravity;
  gravity_ = Vector((gravity ? *gravity : model.gravity()).data()).norm();
  double farthest = 0;  // from the joint that carries it
  for (int k = 0; k < tree.n; ++k) {
    const TreeBody& body = tree.bodies[k];
    reach_ += Vector(body.p).norm();
    mass_ += body.mass;
    inertia_ += std::abs(body.I[0]) + std::abs(body.I[3]) + std::abs(body.I[5]);
    if (body.mass > 0) {
      farthest = std::max(farthest, Vector(body.h).norm() / body.mass);
    }
  }
  for (const Frame& frame : model.frames()) {
    if (frame.placement.body == kBase) continue;
    farthest =
        std::max(farthest, Vector(frame.placement.p).norm() + load_reach);
  }
  reach_ += farthest;
  const bool single = plan.precision() == Precision::kSingle;
  precision_ = single
                   ? static_cast<double>(std::numeric_limits<float>::epsilon())
                   : std::numeric_limits<double>::epsilon();
}

void TorqueTerms::Bound(const State& state, std::span<double> bounds) const {
  double reach = reach_, slide_speed = 0, slide_acceleration = 0;
  double turn_speed = 0, turn_acceleration = 0;
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    const double v = std::abs(state.v[k]), a = std::abs(state.a[k]);
    if (slides_[k]) reach += std::abs(state.q[k]);
    (slides_[k] ? slide_speed : turn_speed) += v;
    (slides_[k] ? slide_acceleration : turn_acceleration) += a;
  }
  const double speed = reach * turn_speed + slide_speed;
  const double acceleration = reach * turn_acceleration + slide_acceleration;
  double force = mass_ * (gravity_ + acceleration + 2 * turn_speed * speed);
  double moment = inertia_ * (turn_speed * turn_speed + turn_acceleration);
  if (!state.wrench.empty()) {
    moment += Vector(state.wrench.data()).norm();
    force += Vector(state.wrench.data() + 3).norm();
  }
  moment += reach * force;
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    bounds[k] = slides_[k] ? force : moment;
  }
}

}  // namespace torqued
