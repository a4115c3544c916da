// The stacked matrices against the recursions.
#include "core/teaching/matrix_form.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/engine/evaluation_plan.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"
#include "tests/support/textbook.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const Eigen::Vector3d kGravity(1.5, -2.5, -9);

template <class Check>
void ForSettings(const Check& check) {
  for (const Setting& s : Settings()) {
    SCOPED_TRACE(s.name);
    Random random(17);
    check(s, random);
  }
}

MatrixForm FormOf(const Setting& s, const Vector6d& base = Vector6d::Zero()) {
  return {*s.model, s[Input::kQ], s[Input::kV], base};
}

VectorXd TorquesOnBase(Setting s, const Vector6d& V, const Vector6d& A) {
  s[Input::kBaseTwist] = V;
  s[Input::kBaseAcceleration] = A;
  return Ask(s, {Quantity::kInverseDynamics}, BestTarget())[Output::kTau];
}

constexpr double tolerance() { return 1e-13; }

TEST(MatrixFormLaws, EqualTheRecursions) {
  using enum Quantity;
  ForSettings([](const Setting& s, Random&) {
    const MatrixForm form = FormOf(s);
    const Answers is = Ask(s,
                           {kMassMatrix, kCoriolisMatrix, kCoriolisForces,
                            kGravityForces, kInverseDynamics},
                           BestTarget());
    const VectorXd g = is[Output::kGravity];
    EXPECT_SAME(form.MassMatrix(), is.Matrix(Output::kMassMatrix));
    EXPECT_SAME(form.CoriolisMatrix(), is.Matrix(Output::kCoriolisMatrix),
                1e-3);
    EXPECT_LT(RelativeError(form.CoriolisForces(), is[Output::kCoriolis], 1e-3),
              1e-12);
    EXPECT_SAME(form.GravityForces(kGravity), g, 1);
    EXPECT_SAME(form.InverseDynamics(s[Input::kA], kGravity), is[Output::kTau],
                1);
    EXPECT_GT(RelativeError(form.GravityForces(-kGravity), g, 1), 1e-4);
  });
}

TEST(MatrixFormLaws, EqualTheRecursionsUnderWrenchesOnAMovingBase) {
  ForSettings([](const Setting& s, Random& random) {
    textbook::Surroundings around;
    around.gravity = kGravity;
    const Vector6d V = around.base_twist = random.Vector(6, -2, 2),
                   A = around.base_acceleration = random.Vector(6, -5, 5);
    const VectorXd& a = s[Input::kA];
    const MatrixForm form = FormOf(s, V), at_rest = FormOf(s);
    const VectorXd tau = TorquesOnBase(s, V, A);
    EXPECT_SAME(form.InverseDynamics(a, kGravity, A), tau, 1);
    // On each body, in {i}.
    const VectorXd wrenches = random.Vector(6 * s.n(), -5, 5);
    for (int i = 0; i < s.n(); ++i) {
      around.pushes.push_back(
          {{{i, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}}, ReferenceFrame::kLocal},
           wrenches.segment<6>(6 * i)});
    }
    const VectorXd pushed = textbook::Torques<double>(
        s.model->tree(), around, {s[Input::kQ], s[Input::kV], a});
    EXPECT_SAME(form.InverseDynamics(a, kGravity, A, wrenches), pushed, 1);
    // C belongs to the robot, whatever its base does.
    EXPECT_EQ(form.CoriolisMatrix(), at_rest.CoriolisMatrix());
    EXPECT_EQ(form.CoriolisForces(), at_rest.CoriolisForces());
    // Twins: no wrenches, and another twist of the base.
    EXPECT_GT(RelativeError(tau, pushed), 1e-4);
    if (s.n() < 3) return;
    EXPECT_GT(RelativeError(at_rest.InverseDynamics(a, kGravity, A), tau, 1),
              1e-4);
  });
}

TEST(MatrixFormLaws, GammaIsNilpotentAndLItsSeries) {
  ForSettings([](const Setting& s, Random&) {
    const MatrixForm form = FormOf(s);
    const int n = s.n();
    const MatrixXd one = MatrixXd::Identity(6 * n, 6 * n);
    MatrixXd power = one;
    for (int k = 0; k < n; ++k) power = power * form.Gamma();
    EXPECT_EQ(power.norm(), 0);
    EXPECT_SAME((one - form.Gamma()) * form.L(), one);
    EXPECT_LT(RelativeError(form.L(), (one - form.Gamma()).inverse()), 1e-12);
    EXPECT_EQ(form.Twists(), form.L() * (form.A() * s[Input::kV]));
  });
}

TEST(MatrixFormLaws, StackedRecursionsHoldImplicitly) {
  // 𝒱 = Γ 𝒱 + A q̇ + 𝒱_base; 𝒱̇ = Γ 𝒱̇ + A q̈ − D (Γ 𝒱 + 𝒱_base) + 𝒱̇_base;
  // ℱ = Γᵀ ℱ + G 𝒱̇ − ad_𝒱ᵀ G 𝒱: solved body by body, Γ having a row for each,
  // τ = Aᵀ ℱ is that of the recursions.
  ForSettings([](const Setting& s, Random& random) {
    const Vector6d base_twist = random.Vector(6, -2, 2),
                   base_rate = random.Vector(6, -5, 5);
    const MatrixForm form = FormOf(s, base_twist);
    const Tree tree = s.model->tree();
    const int n = tree.n;
    const VectorXd& a = s[Input::kA];
    const MatrixXd &A = form.A(), &Gamma = form.Gamma(), &G = form.G();
    const VectorXd& V = form.Twists();
    const VectorXd inherited = Gamma * V + form.BaseTwists();
    EXPECT_SAME(inherited + A * s[Input::kV], V);
    // 𝒱̇_base stands where 𝒱_base does, of a base with this twist instead.
    Vector6d with_gravity = base_rate;
    with_gravity.tail<3>() -= kGravity;
    const VectorXd base = FormOf(s, with_gravity).BaseTwists();
    const VectorXd known = A * a - form.D() * inherited + base;
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
    for (int i = 0; i < n; ++i) tau[i] += tree.bodies[i].armature * a[i];
    EXPECT_SAME(tau, TorquesOnBase(s, base_twist, base_rate), 1);
  });
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
