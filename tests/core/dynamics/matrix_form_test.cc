// The stacked matrices against the recursions.
#include "core/dynamics/matrix_form.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/dynamics/coriolis-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const Eigen::Vector3d kGravity(1.5, -2.5, -9);

/// What the recursions compute, weightless where `gravity` is null.
VectorXd Torques(const Model& model, const VectorXd& q, const double* v,
                 const double* a, const Eigen::Vector3d& gravity,
                 const VectorXd& wrenches = {},
                 const BaseMotion<double>* base = nullptr) {
  const Tree tree = model.tree();
  Configured<double> at = At(tree, q);
  DynamicsTerms terms = {
      {gravity[0], gravity[1], gravity[2]}, false, false, wrenches.size() > 0};
  for (int i = 0; i < tree.n && terms.external_wrenches; ++i) {
    const double* const w = wrenches.data() + 6 * i;
    at.scratch().W[i] = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
  }
  VectorXd tau(tree.n);
  InverseDynamics(tree, terms, v, a, at.scratch(), tau.data(), base);
  return tau;
}

template <class Check>
void ForModels(const Check& check) {
  for (const RandomCase& c : MakeRandomCases()) {
    SCOPED_TRACE(c.name);
    const auto model = WithArmature(*c.model, 1);
    ASSERT_NE(model, nullptr);
    Random random(17);
    check(*model, MakeRandomState(*model, random), random);
  }
}

TEST(MatrixFormLaws, EqualTheRecursions) {
  ForModels([](const Model& model, const State& s, Random& random) {
    const MatrixForm form(model, s.q, s.v);
    const Tree tree = model.tree();
    const int n = tree.n;
    Configured<double> at = At(tree, s.q);
    RowMajor M(n, n), C(n, n);
    MassMatrix(tree, at.scratch(), M.data());
    CoriolisMatrix(tree, s.v.data(), at.scratch(), at.coriolis(), C.data());
    EXPECT_LT(RelativeError(form.MassMatrix(), M), 1e-13);
    EXPECT_LT(RelativeError(form.CoriolisMatrix(), C, 1e-3), 1e-13);
    const Eigen::Vector3d none = Eigen::Vector3d::Zero();
    const VectorXd c = Torques(model, s.q, s.v.data(), nullptr, none);
    const VectorXd g = Torques(model, s.q, nullptr, nullptr, kGravity);
    EXPECT_LT(RelativeError(form.CoriolisForces(), c, 1e-3), 1e-12);
    EXPECT_LT(RelativeError(form.GravityForces(kGravity), g, 1), 1e-13);
    const VectorXd tau = Torques(model, s.q, s.v.data(), s.a.data(), kGravity);
    EXPECT_LT(RelativeError(form.InverseDynamics(s.a, kGravity), tau), 1e-13);
    const VectorXd wrenches = random.Vector(6 * n, -5, 5);
    const VectorXd pushed =
        Torques(model, s.q, s.v.data(), s.a.data(), kGravity, wrenches);
    EXPECT_LT(RelativeError(form.InverseDynamics(s.a, kGravity,
                                                 Vector6d::Zero(), wrenches),
                            pushed),
              1e-13);
    // Twins.
    EXPECT_GT(RelativeError(form.InverseDynamics(s.a, kGravity), pushed), 1e-4);
    EXPECT_GT(RelativeError(form.GravityForces(-kGravity), g, 1), 1e-4);
  });
}

TEST(MatrixFormLaws, EqualTheRecursionsOnAMovingBase) {
  ForModels([](const Model& model, const State& s, Random& random) {
    const Vector6d V = random.Vector(6, -2, 2), A = random.Vector(6, -5, 5);
    const BaseMotion<double> base = {{{V[0], V[1], V[2]}, {V[3], V[4], V[5]}},
                                     {{A[0], A[1], A[2]}, {A[3], A[4], A[5]}}};
    const MatrixForm form(model, s.q, s.v, V), at_rest(model, s.q, s.v);
    const VectorXd tau =
        Torques(model, s.q, s.v.data(), s.a.data(), kGravity, {}, &base);
    EXPECT_LT(RelativeError(form.InverseDynamics(s.a, kGravity, A), tau, 1),
              1e-13);
    // C belongs to the robot, whatever its base does.
    EXPECT_EQ(form.CoriolisMatrix(), at_rest.CoriolisMatrix());
    EXPECT_EQ(form.CoriolisForces(), at_rest.CoriolisForces());
    // Twin: another twist of the base.
    if (model.nv() < 3) return;
    EXPECT_GT(RelativeError(at_rest.InverseDynamics(s.a, kGravity, A), tau, 1),
              1e-4);
  });
}

TEST(MatrixFormLaws, GammaIsNilpotentAndLItsSeries) {
  ForModels([](const Model& model, const State& s, Random&) {
    const MatrixForm form(model, s.q, s.v);
    const int n = model.nv();
    MatrixXd power = MatrixXd::Identity(6 * n, 6 * n);
    for (int k = 0; k < n; ++k) power = power * form.Gamma();
    EXPECT_EQ(power.norm(), 0);
    const MatrixXd one = MatrixXd::Identity(6 * n, 6 * n);
    EXPECT_LT(RelativeError((one - form.Gamma()) * form.L(), one), 1e-13);
    EXPECT_LT(RelativeError(form.L(), (one - form.Gamma()).inverse()), 1e-12);
    EXPECT_EQ(form.Twists(), form.L() * (form.A() * s.v));
  });
}

TEST(MatrixFormLaws, StackedRecursionsHoldImplicitly) {
  // 𝒱 = Γ 𝒱 + A q̇ + 𝒱_base; 𝒱̇ = Γ 𝒱̇ + A q̈ − D (Γ 𝒱 + 𝒱_base) + 𝒱̇_base;
  // ℱ = Γᵀ ℱ + G 𝒱̇ − ad_𝒱ᵀ G 𝒱: solved body by body, Γ having a row for each,
  // τ = Aᵀ ℱ is that of the recursions.
  ForModels([](const Model& model, const State& s, Random& random) {
    const Vector6d base_twist = random.Vector(6, -2, 2),
                   base_rate = random.Vector(6, -5, 5);
    const MatrixForm form(model, s.q, s.v, base_twist);
    const Tree tree = model.tree();
    const int n = tree.n;
    const MatrixXd &A = form.A(), &Gamma = form.Gamma(), &G = form.G();
    const VectorXd& V = form.Twists();
    const VectorXd inherited = Gamma * V + form.BaseTwists();
    EXPECT_LT(RelativeError(inherited + A * s.v, V), 1e-13);
    // 𝒱̇_base stands where 𝒱_base does, of a base with this twist instead.
    Vector6d with_gravity = base_rate;
    with_gravity.tail<3>() -= kGravity;
    const VectorXd base =
        MatrixForm(model, s.q, s.v, with_gravity).BaseTwists();
    const VectorXd known = A * s.a - form.D() * inherited + base;
    VectorXd rates = VectorXd::Zero(6 * n), F = rates;
    for (int i = 0; i < n; ++i) {
      rates.segment<6>(6 * i) =
          Gamma.middleRows<6>(6 * i) * rates + known.segment<6>(6 * i);
    }
    const VectorXd own =
        G * rates - MatrixForm::BlockAd(V).transpose() * (G * V);
    for (int i = n - 1; i >= 0; --i) {
      F.segment<6>(6 * i) =
          Gamma.middleCols<6>(6 * i).transpose() * F + own.segment<6>(6 * i);
    }
    VectorXd tau = A.transpose() * F;
    for (int i = 0; i < n; ++i) tau[i] += tree.bodies[i].armature * s.a[i];
    const BaseMotion<double> motion = {
        {{base_twist[0], base_twist[1], base_twist[2]},
         {base_twist[3], base_twist[4], base_twist[5]}},
        {{base_rate[0], base_rate[1], base_rate[2]},
         {base_rate[3], base_rate[4], base_rate[5]}}};
    EXPECT_LT(RelativeError(tau,
                            Torques(model, s.q, s.v.data(), s.a.data(),
                                    kGravity, {}, &motion),
                            1),
              1e-13);
  });
}

TEST(MatrixFormLaws, OtherSplitsOfTheBiasAreNotChristoffels) {
  // −Aᵀ Lᵀ (G L D Γ + ad_𝒱ᵀ G) L A gives c as well, but Ṁ − 2C is not skew.
  int different = 0;
  ForModels([&](const Model& model, const State& s, Random&) {
    const MatrixForm form(model, s.q, s.v);
    const MatrixXd LA = form.L() * form.A();
    const MatrixXd printed =
        -LA.transpose() *
        (form.G() * form.L() * form.D() * form.Gamma() +
         MatrixForm::BlockAd(form.Twists()).transpose() * form.G()) *
        LA;
    const MatrixXd C = form.CoriolisMatrix();
    EXPECT_LT(RelativeError(printed * s.v, C * s.v, 1e-3), 1e-12);
    different += RelativeError(printed, C, 1e-3) > 1e-3 ? 1 : 0;
  });
  EXPECT_GT(different, 30);
}

TEST(MatrixFormLaws, OfNoJointsIsEmpty) {
  const auto model = LoadModel("<robot name=\"r\"><link name=\"l\"/></robot>");
  ASSERT_NE(model, nullptr);
  const VectorXd none(0);
  const MatrixForm form(*model, none, none);
  EXPECT_EQ(form.MassMatrix().size(), 0);
  EXPECT_EQ(form.InverseDynamics(none, kGravity).size(), 0);
}

}  // namespace
}  // namespace torqued::testing_support
