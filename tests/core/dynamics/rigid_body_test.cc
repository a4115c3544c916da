// Laws of one rigid body, by the particles that it is made of (Lynch & Park
// 2017, section 8.2).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <utility>
#include <vector>

#include "core/math/inertia.h"
#include "core/math/screws.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Particle {
  double mass;
  Vector3d r;  // in the body's frame
};

struct Body {
  explicit Body(std::vector<Particle> of) : particles(std::move(of)) {
    for (const auto& [m, r] : particles) {
      mass += m;
      h += m * r;
      I += m * Skew(r).transpose() * Skew(r);
    }
  }

  Vector3d centre() const { return h / mass; }
  /// The same with another origin of its frame, turned by R.
  Body About(const Vector3d& origin,
             const Matrix3d& R = Matrix3d::Identity()) const {
    std::vector<Particle> moved = particles;
    for (Particle& p : moved) p.r = R * (p.r - origin);
    return Body(moved);
  }

  std::vector<Particle> particles;
  double mass = 0;
  Vector3d h = Vector3d::Zero();
  Matrix3d I = Matrix3d::Zero();  // about the origin
};

Body RandomBody(Random& random) {
  std::vector<Particle> seven(7);
  for (Particle& p : seven) {
    p = {random.Uniform(0.1, 1), random.Vector(3, -0.5, 0.5)};
  }
  return Body(seven);
}

Vector6d Stacked(const Vector3d& angular, const Vector3d& linear) {
  Vector6d six;
  six << angular, linear;
  return six;
}

/// Components in the frame of the body, whose origin moves with v.
struct BodyMotion {
  explicit BodyMotion(Random& random)
      : w(random.Vector(3, -2, 2)),
        v(random.Vector(3, -2, 2)),
        w_rate(random.Vector(3, -2, 2)),
        v_rate(random.Vector(3, -2, 2)) {}

  Vector3d VelocityAt(const Vector3d& r) const { return v + w.cross(r); }
  /// Second derivative of the position of a point.
  Vector3d AccelerationAt(const Vector3d& r) const {
    return v_rate + w.cross(v) + w_rate.cross(r) + w.cross(w.cross(r));
  }

  Vector3d w, v, w_rate, v_rate;
};

/// Sums over the particles; (angular; linear).
struct Sums {
  Sums(const Body& body, const BodyMotion& motion) {
    for (const auto& [m, r] : body.particles) {
      const Vector3d f = m * motion.AccelerationAt(r),
                     p = m * motion.VelocityAt(r);
      wrench += Stacked(r.cross(f), f);
      momentum += Stacked(r.cross(p), p);
      kinetic_energy += p.dot(motion.VelocityAt(r)) / 2;
    }
  }

  Vector6d wrench = Vector6d::Zero(), momentum = Vector6d::Zero();
  double kinetic_energy = 0;
};

class RigidBody : public testing::Test {
 protected:
  Random random_{2};
  const Body body_ = RandomBody(random_);
  const BodyMotion motion_{random_};
  const Body about_ = body_.About(body_.centre());
};

#define EXPECT_CLOSE(a, b) EXPECT_LT(((a) - (b)).cwiseAbs().maxCoeff(), 1e-13)
#define EXPECT_APART(a, b) EXPECT_GT(((a) - (b)).norm(), 1e-2)

TEST_F(RigidBody, PointsAccelerateAsTheirVelocitiesTurnAndChange) {
  // Along p(t) with the twist V + V̇ t the velocity of a point changes by
  // a = v̇ + ω × v + ω̇ × r + ω × (ω × r), in the axes of the body at t = 0.
  const Vector3d r = random_.Vector(3, -1, 1);
  const Vector6d V = Stacked(motion_.w, motion_.v),
                 rate = Stacked(motion_.w_rate, motion_.v_rate);
  const auto velocity = [&](double t) -> Vector3d {
    const Vector6d now = V + t * rate;
    // The body's pose to second order, all that a first derivative sees.
    const Matrix3d R = ExpScrew(V + 0.5 * t * rate, t).topLeftCorner<3, 3>();
    return R * (now.tail<3>() + now.head<3>().cross(r));
  };
  constexpr double kStep = 1e-5;
  const Vector3d a = (velocity(kStep) - velocity(-kStep)) / (2 * kStep);
  EXPECT_LT((a - motion_.AccelerationAt(r)).norm(), 1e-8);
}

TEST_F(RigidBody, NewtonAndEulerHoldAtTheCentreOfMass) {
  // f = m (v̇ + ω × v), m = I ω̇ + ω × I ω and angular momentum I ω, in body axes
  // at the centre of mass.
  const Sums sums(about_, motion_);
  const Matrix3d& I = about_.I;
  const Vector3d &w = motion_.w, &w_rate = motion_.w_rate;
  const Vector3d moment = sums.wrench.head<3>(), force = sums.wrench.tail<3>();
  EXPECT_CLOSE(force, body_.mass * (motion_.v_rate + w.cross(motion_.v)));
  EXPECT_CLOSE(moment, I * w_rate + w.cross(I * w));
  EXPECT_CLOSE(sums.momentum.head<3>(), I * w);
  // Twins: without the velocity's turn, and about another point.
  EXPECT_APART(force, body_.mass * motion_.v_rate);
  EXPECT_APART(moment, I * w_rate);
  EXPECT_APART(Sums(body_, motion_).momentum.head<3>(), body_.I * w);
}

Vector6d ToEigen(const Wrench<double>& F) {
  return Stacked({F.m.x, F.m.y, F.m.z}, {F.f.x, F.f.y, F.f.z});
}

Twist<double> ToTwist(const Vector3d& w, const Vector3d& v) {
  return {{w[0], w[1], w[2]}, {v[0], v[1], v[2]}};
}

TEST_F(RigidBody, TwistAndWrenchObeyOneEquationInEveryFrame) {
  // F = G V̇ − ad_Vᵀ G V, momentum G V and energy ½ Vᵀ G V, wherever the frame
  // is on the body.
  for (int k = 0; k < 20; ++k) {
    const Body body = RandomBody(random_);
    const BodyMotion motion(random_);
    const Vector3d& h = body.h;
    const Matrix3d& I = body.I;
    const SpatialInertia<double> G = {
        body.mass,
        {h[0], h[1], h[2]},
        {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}};
    const Twist<double> V = ToTwist(motion.w, motion.v),
                        rate = ToTwist(motion.w_rate, motion.v_rate);
    const Sums sums(body, motion);
    const Wrench<double> momentum = G * V,
                         turned = MinusAdTranspose(V, momentum);
    EXPECT_CLOSE(ToEigen(momentum), sums.momentum);
    EXPECT_CLOSE(ToEigen(G * rate + turned), sums.wrench);
    EXPECT_APART(ToEigen(G * rate - turned), sums.wrench);
    EXPECT_NEAR(Dot(momentum, V) / 2, sums.kinetic_energy, 1e-13);
  }
}

TEST_F(RigidBody, EnergySplitsAtTheCentreOfMass) {
  // ½ m |v|² + m v·(ω × c) + ½ ωᵀ I ω; the middle one vanishes there alone.
  const auto middle = [&](const Body& of) {
    const double cross = motion_.v.dot(motion_.w.cross(of.h));
    EXPECT_NEAR(of.mass * motion_.v.squaredNorm() / 2 + cross +
                    motion_.w.dot(of.I * motion_.w) / 2,
                Sums(of, motion_).kinetic_energy, 1e-13);
    return cross;
  };
  EXPECT_GT(std::abs(middle(body_)), 1e-2);
  EXPECT_NEAR(middle(about_), 0, 1e-14);
}

TEST_F(RigidBody, InertiaTurnsWithTheAxes) {
  // R I Rᵀ in base axes, R the orientation of the body.
  const Matrix3d R = random_.Rotation(), &I = body_.I;
  const Matrix3d in_base = body_.About(Vector3d::Zero(), R).I;
  EXPECT_CLOSE(in_base, R * I * R.transpose());
  EXPECT_APART(in_base, R.transpose() * I * R);
}

/// Gauss points of a box of uniform density: two in each direction, which
/// integrate polynomials of third degree exactly.
Body Box(const Vector3d& size, const Vector3d& centre, double density) {
  std::vector<Particle> particles;
  for (int corner = 0; corner < 8; ++corner) {
    Vector3d r;
    for (int k = 0; k < 3; ++k) {
      r[k] = ((corner >> k & 1) != 0 ? 0.5 : -0.5) * size[k] / std::sqrt(3);
    }
    particles.push_back({density * size.prod() / 8, centre + r});
  }
  return Body(particles);
}

TEST_F(RigidBody, DensityIntegralGivesMassCentreInertiaAndEnergy) {
  const Vector3d size(0.3, 0.5, 0.2), centre(0.1, -0.2, 0.4);
  const Body box = Box(size, centre, 800);
  const double m = 800 * 0.3 * 0.5 * 0.2;
  EXPECT_NEAR(box.mass, m, 1e-13);
  EXPECT_CLOSE(box.centre(), centre);
  const Vector3d squares = size.cwiseAbs2();
  const Matrix3d I =
      (m / 12 * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
  const Body about = box.About(centre);
  EXPECT_CLOSE(about.I, I);
  // About another point it grows by m [c][c]ᵀ.
  EXPECT_CLOSE(box.I, I + m * Skew(centre) * Skew(centre).transpose());
  // ½ ∫ ρ |v(r)|² dV.
  const double closed =
      m * motion_.v.squaredNorm() / 2 + motion_.w.dot(I * motion_.w) / 2;
  EXPECT_NEAR(Sums(about, motion_).kinetic_energy, closed, 1e-13 * closed);
}

}  // namespace
}  // namespace torqued::testing_support
