// The oracle of the other tests by two more routes.
#include "tests/support/textbook.h"

#include <gtest/gtest.h>

#include "tests/core/dynamics/robots.h"

namespace torqued::testing_support {
namespace {

using Wide = long double;
using Vector = textbook::VectorX<Wide>;
using DualWide = Dual<Wide>;

TEST(Textbook, ScrewsOfJointsAreTheRatesOfPoses) {
  // Ṙ = [ω] R and ṗ = v + ω × p.
  for (const Setting& s : Settings()) {
    const Tree tree = s.model->tree();
    const Vector q = s[Input::kQ].cast<Wide>();
    const textbook::Configuration<Wide> at(tree, q);
    for (int k = 0; k < tree.n; ++k) {
      const textbook::Configuration<DualWide> moved(
          tree, textbook::Along(q, Vector(Vector::Unit(tree.n, k))));
      const textbook::Vector3<Wide> w = at.screws.col(k).head<3>(),
                                    v = at.screws.col(k).tail<3>();
      for (int i = k; i < tree.n; ++i) {
        int j = i;
        while (j > k) j = tree.bodies[j].parent;
        if (j != k) continue;
        const auto R_rate = textbook::Rates(moved.bodies[i].R);
        const auto p_rate = textbook::Rates(moved.bodies[i].p);
        for (int c = 0; c < 3; ++c) {
          EXPECT_LT((R_rate.col(c) - w.cross(at.bodies[i].R.col(c))).norm(),
                    1e-14L);
        }
        EXPECT_LT((p_rate.col(0) - v - w.cross(at.bodies[i].p)).norm(), 1e-14L);
      }
    }
  }
}

TEST(Textbook, TorquesAreThoseOfLagrange) {
  // τ = M a + Ṁ v − ½ ∂(vᵀ M v)/∂q + ∂P/∂q, against Newton's law.
  for (const Setting& s : Settings()) {
    const Tree tree = s.model->tree();
    const Vector q = s[Input::kQ].cast<Wide>(), v = s[Input::kV].cast<Wide>(),
                 a = s[Input::kA].cast<Wide>();
    textbook::Surroundings around;
    around.gravity = {1.5, -2.5, -9};
    const auto M =
        textbook::MassMatrix(tree, textbook::Configuration<Wide>(tree, q));
    const auto dM = textbook::MassDerivatives(tree, q);
    Vector tau = M * a;
    for (int k = 0; k < tree.n; ++k) {
      tau += dM[k] * v * v[k];
      tau[k] -= v.dot(dM[k] * v) / 2;
      const textbook::Configuration<DualWide> moved(
          tree, textbook::Along(q, Vector(Vector::Unit(tree.n, k))));
      for (int i = 0; i < tree.n; ++i) {
        const TreeBody& body = tree.bodies[i];
        const auto moment =
            (moved.bodies[i].R *
                 Eigen::Map<const Eigen::Vector3d>(body.h).cast<DualWide>() +
             moved.bodies[i].p * DualWide(body.mass))
                .eval();
        tau[k] -=
            around.gravity.cast<Wide>().dot(textbook::Rates(moment).col(0));
      }
    }
    const Vector expected = textbook::Torques<Wide>(tree, around, {q, v, a});
    EXPECT_LT((tau - expected).norm(), 1e-14L * (1 + expected.norm()))
        << s.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support
