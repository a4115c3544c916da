#include "core/model/sampled_states.h"

#include <algorithm>
#include <cstddef>
#include <numbers>

namespace torqued {
namespace {

// m from what is nearest to zero.
constexpr double kFarthestSlide = 10;

constexpr int kMostStates = 32, kFewestStates = 4;
// What looks at a state may cost up to the square of the number of joints.
constexpr int kStatesTimesJoints = 16'384;

}  // namespace

SampledStates::SampledStates(std::span<const Joint> joints, std::uint64_t seed)
    : joints_(joints), random_(seed), q_(joints.size(), 0.0) {
  const int n = std::max(static_cast<int>(joints.size()), 1);
  count_ = 1 + std::clamp(kStatesTimesJoints / n, kFewestStates, kMostStates);
}

std::span<const double> SampledStates::Next() {
  if (!home_) {
    for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = Position(joints_[i]);
  }
  home_ = false;
  return q_;
}

// Steele, Lea and Flood 2014 (splitmix64).
double SampledStates::Between(double lower, double upper) {
  random_ += 0x9E3779B97F4A7C15u;
  std::uint64_t x = random_;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  const double part = static_cast<double>(x >> 11) * 0x1p-53;
  // Not lower + part (upper − lower), which may overflow.
  return lower * (1 - part) + upper * part;
}

double SampledStates::Position(const Joint& joint) {
  const bool slides = joint.type == JointType::kPrismatic;
  const double range = slides ? 1 : std::numbers::pi;
  const double one = joint.limits.lower.value_or(-range);
  const double other = joint.limits.upper.value_or(range);
  // One limit may lie beyond the range that stands for the other.
  const auto [lower, upper] = std::minmax(one, other);
  // Limits far out stand for none: a mass that is carried out for thousands of
  // metres hides what else a joint carries.
  const double most = slides ? kFarthestSlide : 2 * std::numbers::pi;
  const double nearest = std::clamp(0.0, lower, upper);
  return Between(std::max(lower, nearest - most),
                 std::min(upper, nearest + most));
}

}  // namespace torqued
