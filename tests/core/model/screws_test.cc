// Screws, adjoint maps and exponentials by their definitions as 4 x 4 matrices.
#include "core/math/screws.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <utility>

#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using testing_support::Random;

/// [V] = [[[ω], v], [0, 0]].
Matrix4d AsMatrix(const Vector6d& V) {
  Matrix4d m = Matrix4d::Zero();
  m.topLeftCorner<3, 3>() = Skew(V.head<3>());
  m.topRightCorner<3, 1>() = V.tail<3>();
  return m;
}

Vector6d FromMatrix(const Matrix4d& m) {
  Vector6d V;
  V << m(2, 1), m(0, 2), m(1, 0), m.topRightCorner<3, 1>();
  return V;
}

/// The power series.
Matrix4d Exponential(const Matrix4d& m) {
  Matrix4d sum = Matrix4d::Identity(), term = sum;
  for (int k = 1; k < 80; ++k) sum += term = term * m / k;
  return sum;
}

class Screws : public testing::Test {
 protected:
  Vector3d Three() { return random_.Vector(3, -1, 1); }
  Vector6d Six() { return random_.Vector(6, -1, 1); }
  Matrix4d Pose() {
    Matrix4d T = Matrix4d::Identity();
    T.topLeftCorner<3, 3>() = random_.Rotation();
    T.topRightCorner<3, 1>() = Three();
    return T;
  }

  Random random_{3};
};

#define EXPECT_CLOSE(a, b) EXPECT_LT(((a) - (b)).cwiseAbs().maxCoeff(), 1e-14)

TEST_F(Screws, BracketsAreCommutatorsAndCrossProducts) {
  const Vector3d w = Three(), v = Three(), m = Three(), f = Three();
  EXPECT_CLOSE(Skew(w) * m, w.cross(m));
  Vector6d V, F, expected;
  V << w, v;
  F << m, f;
  expected << w.cross(m) + v.cross(f), w.cross(f);
  const Matrix4d mV = AsMatrix(V), mF = AsMatrix(F);
  EXPECT_CLOSE(LieBracketMatrix(V) * F, FromMatrix(mV * mF - mF * mV));
  EXPECT_CLOSE(-LieBracketMatrix(V).transpose() * F, expected);
}

TEST_F(Screws, AdjointMovesTwistsAsMatricesAndKeepsThePower) {
  const Matrix4d T = Pose();
  const Vector6d V = Six(), F = Six();
  EXPECT_CLOSE(Adjoint(T) * V, FromMatrix(T * AsMatrix(V) * T.inverse()));
  const Vector6d moved = Adjoint(InversePose(T)).transpose() * F;
  EXPECT_NEAR(moved.dot(Adjoint(T) * V), F.dot(V), 1e-14);
  EXPECT_CLOSE(Adjoint(InversePose(T)) * Adjoint(T), Matrix6d::Identity());
  EXPECT_CLOSE(InversePose(T) * T, Matrix4d::Identity());
}

TEST_F(Screws, ExponentialIsThatOfTheMatrix) {
  for (int k = 0; k < 50; ++k) {
    const Vector6d S = Six();
    const double q = random_.Uniform(-3, 3);
    EXPECT_CLOSE(ExpScrew(S, q), Exponential(AsMatrix(S) * q));
    // Of a slow rotation too, where differences cancel.
    Vector6d slow = S;
    slow.head<3>() *= 1e-9;
    EXPECT_CLOSE(ExpScrew(slow, q), Exponential(AsMatrix(slow) * q));
  }
  const Vector6d slide = ScrewAlong({0, 0.6, 0.8});
  EXPECT_CLOSE(ExpScrew(slide, 2), Exponential(AsMatrix(slide) * 2));
  EXPECT_EQ(ExpScrew(Six(), 0), Matrix4d::Identity());
}

TEST_F(Screws, PointsOfTheAxisGoAlongItByThePitch) {
  const Vector3d axis = random_.UnitVector(), point = Three();
  for (const double pitch : {0.0, 0.3}) {
    const Matrix4d T = ExpScrew(ScrewAbout(axis, point, pitch), 1.7);
    EXPECT_CLOSE((T * point.homogeneous()).head<3>(),
                 point + pitch * 1.7 * axis);
  }
}

TEST_F(Screws, HomePosesAndScrewsOfAnyFrameSayTheSame) {
  std::vector<Matrix4d> relative;
  std::vector<Vector6d> space;
  for (int i = 0; i < 5; ++i) {
    relative.push_back(Pose());
    space.push_back(Six());
  }
  const auto home = HomePoses(relative), again = RelativeHomePoses(home);
  EXPECT_CLOSE(home[1], relative[0] * relative[1]);
  const auto link = LinkScrews(home, space), back = SpaceScrews(home, link),
             tip = TipScrews(home.back(), space);
  const Eigen::VectorXd q = random_.Vector(5, -3, 3);
  Matrix4d by_links = Matrix4d::Identity(), by_tip = home.back();
  for (int i = 0; i < 5; ++i) {
    EXPECT_CLOSE(again[i], relative[i]);
    EXPECT_CLOSE(back[i], space[i]);
    EXPECT_CLOSE(AsMatrix(link[i]),
                 home[i].inverse() * AsMatrix(space[i]) * home[i]);
    by_links = by_links * RelativePose(relative[i], link[i], q[i]);
    by_tip = by_tip * ExpScrew(tip[i], q[i]);
  }
  const Matrix4d T = ProductOfExponentials(space, home.back(), q);
  EXPECT_CLOSE(by_links, T);
  EXPECT_CLOSE(by_tip, T);
}

TEST_F(Screws, SpatialInertiaIsThatOfItsParticles) {
  // G = Σ m [[−[r][r], [r]], [−[r], 1]].
  std::vector<std::pair<double, Vector3d>> particles;
  double mass = 0;
  Vector3d moment = Vector3d::Zero();
  Matrix6d G = Matrix6d::Zero();
  for (int k = 0; k < 6; ++k) {
    const double m = random_.Uniform(0.1, 1);
    const Vector3d r = Three();
    Matrix6d one;
    one << -Skew(r) * Skew(r), Skew(r), -Skew(r), Matrix3d::Identity();
    G += m * one;
    mass += m;
    moment += m * r;
    particles.emplace_back(m, r);
  }
  const Vector3d c = moment / mass;
  Matrix3d I_c = Matrix3d::Zero();
  for (const auto& [m, r] : particles) I_c -= m * Skew(r - c) * Skew(r - c);
  EXPECT_CLOSE(SpatialInertiaMatrix(mass, c, I_c), G);
}

}  // namespace
}  // namespace torqued
