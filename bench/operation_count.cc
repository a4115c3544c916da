#include "bench/operation_count.h"

#include <cmath>
#include <vector>

#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea-inl.h"

namespace torqued::bench {

void SinCos(const Counted& x, Counted& sine, Counted& cosine) {
  ++Counted::count.sines;
  sine = Counted(std::sin(x.value()));
  cosine = Counted(std::cos(x.value()));
}

OperationCount CountInverseDynamics(const Model& model) {
  const Tree tree = model.tree();
  const auto n = static_cast<std::size_t>(tree.n);
  std::vector<Transform<Counted>> X(n);
  std::vector<Twist<Counted>> V(n), A(n);
  std::vector<Wrench<Counted>> F(n);
  Scratch<Counted> scratch{};
  scratch.X = X.data();
  scratch.V = V.data();
  scratch.A = A.data();
  scratch.F = F.data();

  const std::vector<Counted> state(n, Counted(0.5));
  std::vector<Counted> tau(n);
  const DynamicsTerms terms{{0, 0, -9.81}, false, false, false};
  Counted::count = {};
  ComputePlacements(tree, state.data(), scratch);
  InverseDynamics(tree, terms, state.data(), state.data(), scratch, tau.data());
  return Counted::count;
}

}  // namespace torqued::bench
