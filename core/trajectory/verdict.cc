#include "core/trajectory/verdict.h"

#include <cmath>

namespace torqued {
namespace {

constexpr double kTurn = 0.25;  // rad
constexpr double kShareOfLimit = 0.1;

}  // namespace

FineStep FineStepOf(JointType type, double lower, double upper,
                    double velocity_limit, bool between) {
  FineStep fine{std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::infinity()};
  if (type != JointType::kPrismatic) {
    fine.position = kTurn;
  } else if (upper > lower) {
    fine.position = kShareOfLimit * (upper - lower);
  }
  if (!between && velocity_limit > 0) {
    fine.velocity = kShareOfLimit * velocity_limit;
  }
  return fine;
}

void CoarsestStep::Add(const FineStep& fine, const CoarseStep& step) {
  const double share = std::max(std::abs(step.position_change) / fine.position,
                                std::abs(step.velocity_change) / fine.velocity);
  if (!(share > (found_ ? found_->share : 1))) return;
  found_ = step;
  found_->share = share;
}

void PayloadSearch::Add(const LoadedTorque& torque, double limit,
                        const SamplePlace& place) {
  if (std::isinf(limit)) return;
  if (torque.per_kg == 0) {
    if (std::abs(torque.without) > limit) possible_ = false;
    return;
  }
  const auto [low, high] =
      std::minmax({(limit - torque.without) / torque.per_kg,
                   (-limit - torque.without) / torque.per_kg});
  range_.least = std::max(range_.least, low);
  if (high < range_.most) {
    range_.most = high;
    range_.limited_by = place;
  }
}

std::optional<PayloadRange> PayloadSearch::Find() const {
  if (!possible_ || !(range_.least <= range_.most)) return std::nullopt;
  return range_;
}

}  // namespace torqued
