#include "core/model/regularity.h"

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <vector>

namespace torqued {
namespace {

// m from what is nearest to zero.
constexpr double kFarthestSlide = 10;

constexpr int kMostStates = 32, kFewestStates = 4;
// A rule may cost up to the square of the number of joints.
constexpr int kStatesTimesJoints = 16'384;

// Steele, Lea and Flood 2014 (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// In [lower, upper].
  double Between(double lower, double upper) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    const double part = static_cast<double>(x >> 11) * 0x1p-53;
    // Not lower + part (upper − lower), which may overflow.
    return lower * (1 - part) + upper * part;
  }

 private:
  std::uint64_t state_;
};

double RandomPosition(const Joint& joint, Random& random) {
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
  return random.Between(std::max(lower, nearest - most),
                        std::min(upper, nearest + most));
}

}  // namespace

Singularity FindSingularity(const Tree& tree, std::span<const Joint> joints,
                            std::uint64_t seed, SingularJointRule rule,
                            const std::function<bool()>& cancelled) {
  const int states = std::clamp(kStatesTimesJoints / std::max(tree.n, 1),
                                kFewestStates, kMostStates);
  std::vector<double> q(static_cast<std::size_t>(tree.n), 0.0);
  Random random(seed);
  for (int state = 0; state <= states; ++state) {
    if (cancelled && cancelled()) return {.joint = {}, .cancelled = true};
    if (state > 0) {
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = RandomPosition(joints[i], random);
      }
    }
    if (const auto joint = rule(tree, q)) {
      return {.joint = joint, .at_home = state == 0};
    }
  }
  return {};
}

}  // namespace torqued
