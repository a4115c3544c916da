// Derivatives on lowered trees against those of the general text.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dynamics/kinematics.h"
#include "core/dynamics/rnea_derivatives-inl.h"
#include "core/dynamics/workspace.h"
#include "core/lowered/rnea_derivatives-inl.h"
#include "core/model/lowering.h"
#include "tests/core/dynamics/motion_cases.h"
#include "tests/support/compare.h"

namespace torqued {
namespace {

using Eigen::VectorXd;
using testing_support::LargestErrors;
using testing_support::RelativeError;
using MatrixXd =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Derivatives {
  explicit Derivatives(int n) {
    // What is not written shows.
    for (MatrixXd* m : {&dq, &dv, &da}) {
      m->setConstant(n, n, std::numeric_limits<double>::quiet_NaN());
    }
  }
  MatrixXd dq, dv, da;
};

/// The body on which an external wrench acts; elsewhere there is none.
int WrenchBody(const MotionCase& c) {
  return c.terms.external_wrenches ? c.n() / 2 : kBase;
}

Wrench<double> ExternalWrench(const MotionCase& c) {
  const VectorXd& w = c.wrenches[c.n() / 2];
  return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
}

Derivatives General(const MotionCase& c) {
  const int n = c.n();
  const Tree tree = c.tree.tree();
  Workspace<double> workspace(n);
  Scratch<double>& scratch = workspace.scratch();
  ComputePlacements(tree, c.q.data(), scratch);
  ComputeWorldPlacements(tree, scratch);
  for (int i = 0; i < n; ++i) scratch.W[i] = Wrench<double>::Zero();
  if (WrenchBody(c) != kBase) scratch.W[WrenchBody(c)] = ExternalWrench(c);
  RneaDerivativesScratch<double> own{};
  const auto carve = [&](Carver carver) {
    CarveRneaDerivatives(static_cast<unsigned long>(n), carver, own);
    return carver.used();
  };
  std::vector<char> memory(carve(Carver(nullptr)));
  carve(Carver(memory.data()));
  Derivatives out(n);
  InverseDynamicsDerivatives(tree, c.terms, c.v.data(), c.a.data(), scratch,
                             own, out.dq.data(), out.dv.data(), out.da.data());
  return out;
}

Derivatives Lowered(const MotionCase& c) {
  const int n = c.n();
  const LoweredModel model(c.tree.tree());
  const LoweredTreeOf<double> tree = model.f64();
  VectorXd s(n), cosine(n);
  for (int i = 0; i < n; ++i) {
    const LoweredBody<double>& body = tree.bodies[i];
    const double q = body.motion == JointMotion::kRevolute ? c.q[i] : 0;
    s[i] = std::sin(q) * body.cos_q0 + std::cos(q) * body.sin_q0;
    cosine[i] = std::cos(q) * body.cos_q0 - std::sin(q) * body.sin_q0;
  }
  LoweredTerms<double> terms{};
  terms.gravity = {c.terms.gravity[0], c.terms.gravity[1], c.terms.gravity[2]};
  terms.viscous_friction = c.terms.viscous_friction;
  terms.coulomb_friction = c.terms.coulomb_friction;
  terms.wrench_body = WrenchBody(c);
  if (terms.wrench_body != kBase) {
    const BodyFrame& frame = tree.frames[terms.wrench_body];
    const Transform<double> C = {Mat3<double>::Constant(frame.R),
                                 Vec3<double>::Constant(frame.p)};
    terms.wrench = ToChild(C, ExternalWrench(c));
  }
  LoweredDerivativesScratch<double> own{};
  const auto carve = [&](Carver carver) {
    CarveLoweredDerivatives(static_cast<unsigned long>(n),
                            static_cast<unsigned long>(tree.slots), carver,
                            own);
    return carver.used();
  };
  // All bits set is a NaN.
  std::vector<unsigned char> memory(carve(Carver(nullptr)), 0xff);
  carve(Carver(memory.data()));
  const LoweredState<double> state = {s.data(), cosine.data(), c.q.data(),
                                      c.v.data(), c.a.data()};
  Derivatives out(n);
  LoweredInverseDynamicsDerivatives(tree, terms, state, own, out.dq.data(),
                                    out.dv.data(), out.da.data());
  return out;
}

TEST(LoweredInverseDynamicsDerivatives, EqualThoseOfTheTree) {
  LargestErrors errors;
  int wrenches = 0, chains = 0, trees = 0;
  for (const MotionCase& c : MotionCases()) {
    const Derivatives expected = General(c);
    const Derivatives actual = Lowered(c);
    const double scale = expected.da.cwiseAbs().maxCoeff();
    errors.Add("dtau/dq", RelativeError(actual.dq, expected.dq, scale), c.name);
    errors.Add("dtau/dv", RelativeError(actual.dv, expected.dv, scale), c.name);
    errors.Add("dtau/da", RelativeError(actual.da, expected.da), c.name);
    wrenches += WrenchBody(c) != kBase ? 1 : 0;
    (LoweredModel(c.tree.tree()).f64().chain ? chains : trees) += 1;
  }
  errors.ExpectBelow("dtau/dq", 1e-13);
  errors.ExpectBelow("dtau/dv", 1e-13);
  errors.ExpectBelow("dtau/da", 1e-13);
  EXPECT_GT(wrenches, 20);
  EXPECT_GT(chains, 20);
  EXPECT_GT(trees, 20);
}

}  // namespace
}  // namespace torqued
