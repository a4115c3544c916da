#include "core/model/precision_choice.h"

#include "core/model/sampled_states.h"

namespace torqued {

PrecisionChoice ChoosePrecision(const Tree& tree, std::span<const Joint> joints,
                                std::uint64_t seed, PrecisionDoubt rule,
                                const std::function<bool()>& cancelled) {
  if (rule == nullptr || tree.n == 0) return {};
  SampledStates states(joints, seed);
  int doubtful = 0;
  for (int state = 0; state < states.count(); ++state) {
    if (cancelled && cancelled()) return {.cancelled = true};
    doubtful += rule(tree, states.Next()) ? 1 : 0;
  }
  return {.needs_double = 2 * doubtful > states.count()};
}

}  // namespace torqued
