#include "core/trajectory/coarse_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace torqued
