// The spatial types against plain 6 x 6 matrices.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <random>

#include "core/spatial/inertia.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr double kTolerance = 1e-13;

Matrix3d Skewed(const Vector3d& p) {
  Matrix3d s;
  s << 0, -p.z(), p.y(), p.z(), 0, -p.x(), -p.y(), p.x(), 0;
  return s;
}

Vector3d ToEigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Matrix3d ToEigen(const Mat3<double>& m) {
  Matrix3d e;
  e << ToEigen(m.c0), ToEigen(m.c1), ToEigen(m.c2);
  return e;
}
Vector6d ToEigen(const Twist<double>& v) {
  Vector6d e;
  e << ToEigen(v.w), ToEigen(v.v);
  return e;
}
Vector6d ToEigen(const Wrench<double>& f) {
  Vector6d e;
  e << ToEigen(f.m), ToEigen(f.f);
  return e;
}
Matrix6d ToEigen(const SpatialInertia<double>& g) {
  const Matrix3d h = Skewed(ToEigen(g.h));
  Matrix6d e;
  e << ToEigen(g.I.Full()), h, h.transpose(), g.mass * Matrix3d::Identity();
  return e;
}
Matrix6d ToEigen(const ArticulatedInertia<double>& g) {
  Matrix6d e;
  e << ToEigen(g.A.Full()), ToEigen(g.N), ToEigen(g.N).transpose(),
      ToEigen(g.C.Full());
  return e;
}
/// Ad_T = [[R, 0], [[p]R, R]].
Matrix6d Adjoint(const Transform<double>& t) {
  const Matrix3d R = ToEigen(t.R);
  Matrix6d e = Matrix6d::Zero();
  e << R, Matrix3d::Zero(), Skewed(ToEigen(t.p)) * R, R;
  return e;
}
/// ad_V = [[[ω], 0], [[v], [ω]]].
Matrix6d LittleAdjoint(const Twist<double>& v) {
  Matrix6d e;
  e << Skewed(ToEigen(v.w)), Matrix3d::Zero(), Skewed(ToEigen(v.v)),
      Skewed(ToEigen(v.w));
  return e;
}

class Spatial : public testing::Test {
 protected:
  double Number() { return std::uniform_real_distribution<>(-1, 1)(random_); }
  Vec3<double> Vector() { return {Number(), Number(), Number()}; }
  Twist<double> SomeTwist() { return {Vector(), Vector()}; }
  Wrench<double> SomeWrench() { return {Vector(), Vector()}; }
  Transform<double> SomeTransform() {
    const Eigen::Quaterniond q = Eigen::Quaterniond::UnitRandom();
    const Matrix3d R = q.toRotationMatrix();
    const double rows[9] = {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                            R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
    return {Mat3<double>::Constant(rows), Vector()};
  }
  SpatialInertia<double> SomeInertia() {
    return {Number() + 2,
            Vector(),
            {Number(), Number(), Number(), Number(), Number(), Number()}};
  }
  ArticulatedInertia<double> SomeArticulatedInertia() {
    return {{Number(), Number(), Number(), Number(), Number(), Number()},
            {Vector(), Vector(), Vector()},
            {Number(), Number(), Number(), Number(), Number(), Number()}};
  }

  std::mt19937_64 random_{7};
};

#define EXPECT_CLOSE(a, b) \
  EXPECT_LT(((a) - (b)).cwiseAbs().maxCoeff(), kTolerance)

TEST_F(Spatial, TwistsMoveByTheAdjoint) {
  const auto T = SomeTransform();
  const auto V = SomeTwist();
  EXPECT_CLOSE(ToEigen(ToParent(T, V)), Adjoint(T) * ToEigen(V));
  EXPECT_CLOSE(ToEigen(ToChild(T, V)), Adjoint(T).inverse() * ToEigen(V));
}

TEST_F(Spatial, WrenchesMoveByTheInverseTransposedAdjoint) {
  const auto T = SomeTransform();
  const auto F = SomeWrench();
  EXPECT_CLOSE(ToEigen(ToParent(T, F)),
               Adjoint(T).inverse().transpose() * ToEigen(F));
  EXPECT_CLOSE(ToEigen(ToChild(T, F)), Adjoint(T).transpose() * ToEigen(F));
}

TEST_F(Spatial, PowerDoesNotDependOnTheFrame) {
  const auto T = SomeTransform();
  const auto V = SomeTwist();
  const auto F = SomeWrench();
  EXPECT_NEAR(Dot(ToParent(T, F), ToParent(T, V)), Dot(F, V), kTolerance);
}

TEST_F(Spatial, TransformsCompose) {
  const auto ab = SomeTransform(), bc = SomeTransform();
  EXPECT_CLOSE(Adjoint(ab * bc), Adjoint(ab) * Adjoint(bc));
}

TEST_F(Spatial, BracketIsTheLittleAdjoint) {
  const auto a = SomeTwist(), b = SomeTwist();
  EXPECT_CLOSE(ToEigen(Bracket(a, b)), LittleAdjoint(a) * ToEigen(b));
  EXPECT_CLOSE(ToEigen(Bracket(a, a)), Vector6d::Zero());
}

TEST_F(Spatial, MinusAdTransposeIsWhatItSays) {
  const auto V = SomeTwist();
  const auto F = SomeWrench();
  EXPECT_CLOSE(ToEigen(MinusAdTranspose(V, F)),
               -LittleAdjoint(V).transpose() * ToEigen(F));
}

TEST_F(Spatial, InertiaActsAsItsMatrix) {
  const auto G = SomeInertia();
  const auto V = SomeTwist();
  EXPECT_CLOSE(ToEigen(G * V), ToEigen(G) * ToEigen(V));
}

TEST_F(Spatial, InertiaMovesByCongruence) {
  for (int k = 0; k < 20; ++k) {
    const auto T = SomeTransform();
    const auto G = SomeInertia();
    const Matrix6d X = Adjoint(T).inverse();
    EXPECT_CLOSE(ToEigen(ToParent(T, G)), X.transpose() * ToEigen(G) * X);
  }
}

TEST_F(Spatial, ArticulatedInertiaMovesByCongruence) {
  for (int k = 0; k < 20; ++k) {
    const auto T = SomeTransform();
    const auto G = SomeArticulatedInertia();
    const Matrix6d X = Adjoint(T).inverse();
    EXPECT_CLOSE(ToEigen(ToParent(T, G)), X.transpose() * ToEigen(G) * X);
  }
}

TEST_F(Spatial, ArticulatedInertiaOfARigidBodyIsItsInertia) {
  const auto G = SomeInertia();
  const auto V = SomeTwist();
  EXPECT_CLOSE(ToEigen(ArticulatedInertia<double>::From(G)), ToEigen(G));
  EXPECT_CLOSE(ToEigen(ArticulatedInertia<double>::From(G) * V),
               ToEigen(G * V));
}

TEST_F(Spatial, DowndateSubtractsTheOuterProduct) {
  const auto G = SomeArticulatedInertia();
  const auto U = SomeWrench();
  EXPECT_CLOSE(ToEigen(Downdate(G, U, 0.7)),
               ToEigen(G) - 0.7 * ToEigen(U) * ToEigen(U).transpose());
}

TEST_F(Spatial, CongruenceOfASymmetricMatrix) {
  const auto R = SomeTransform().R;
  const Sym3<double> S = SomeInertia().I;
  EXPECT_CLOSE(ToEigen(Congruence(R, S).Full()),
               ToEigen(R) * ToEigen(S.Full()) * ToEigen(R).transpose());
}

TEST(Scalar, SignOfZeroIsZero) {
  EXPECT_EQ(Sign(0.0), 0.0);
  EXPECT_EQ(Sign(-3.0), -1.0);
  EXPECT_EQ(Sign(1e-300), 1.0);
}

}  // namespace
}  // namespace torqued
