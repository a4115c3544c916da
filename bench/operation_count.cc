#include "bench/operation_count.h"

#include <vector>

#include "core/lowered/rnea-inl.h"

namespace torqued::bench {

OperationCount CountInverseDynamics(const Model& model) {
  const LoweredTreeOf<double> tree = model.lowered().f64();
  const auto n = static_cast<std::size_t>(tree.n);
  std::vector<Wrench<Counted>> F(n);
  std::vector<LinkMotion<Counted>> motion(static_cast<std::size_t>(tree.slots));
  LoweredScratch<Counted> scratch{};
  scratch.F = F.data();
  scratch.motion = motion.data();

  const std::vector<Counted> numbers(n, Counted(0.5));
  const Counted* x = numbers.data();
  const LoweredState<Counted> state{x, x, x, x, x};
  LoweredTerms<Counted> terms{};
  terms.gravity.z = Counted(-9.81);
  std::vector<Counted> tau(n);
  LinkMotion<Counted> unused;
  Counted::count = {};
  LoweredInverseDynamics(tree, terms, state, scratch, tau.data(), kBase,
                         &unused);
  // Of core/lanes/sin_cos.h with fused reduction and no rest of an offset.
  constexpr int kSinCosMultiplications = 18, kSinCosAdditions = 17;
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.bodies[i].motion == JointMotion::kRevolute) {
      ++Counted::count.sines;
      Counted::count.multiplications += kSinCosMultiplications;
      Counted::count.additions += kSinCosAdditions;
    }
  }
  return Counted::count;
}

}  // namespace torqued::bench
