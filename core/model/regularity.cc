#include "core/model/regularity.h"

#include "core/model/sampled_states.h"

namespace torqued {

Singularity FindSingularity(const Tree& tree, std::span<const Joint> joints,
                            std::uint64_t seed, SingularJointRule rule,
                            const std::function<bool()>& cancelled) {
  SampledStates states(joints, seed);
  for (int state = 0; state < states.count(); ++state) {
    if (cancelled && cancelled()) return {.joint = {}, .cancelled = true};
    if (const auto joint = rule(tree, states.Next())) {
      return {.joint = joint, .at_home = state == 0};
    }
  }
  return {};
}

}  // namespace torqued
