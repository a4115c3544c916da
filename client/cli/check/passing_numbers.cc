#include "client/cli/check/passing_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::string LargestPayloadText(double kilograms) {
  if (kilograms == kNoPayload) return "none";
  if (std::isinf(kilograms)) return "any";
  return ReadableText(kilograms, Side::kBelow);
}

std::string SlowDownFactorText(double factor) {
  return std::isinf(factor) ? "at no pace" : ReadableText(factor, Side::kAbove);
}

bool LeavesPositions(const v1::TrajectoryVerdict& verdict) {
  return std::any_of(verdict.joints().begin(), verdict.joints().end(),
                     [](const v1::JointDemand& joint) {
                       return joint.position_violations() > 0;
                     });
}

double SlowDownThatPasses(const v1::TrajectoryVerdict& verdict) {
  const bool passes =
      verdict.slow_down().possible() && !LeavesPositions(verdict);
  return passes ? verdict.slow_down().factor() : kInfinity;
}

}  // namespace torqued::cli
