// Laws of one rigid body, by the particles that it is made of (Lynch & Park
// 2017, section 8.2).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/model/screws.h"
#include "core/spatial/inertia.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Particle {
  double mass;
  Vector3d r;  // in the body's frame
};
using Particles = std::vector<Particle>;

double Mass(const Particles& particles) {
  double mass = 0;
  for (const Particle& p : particles) mass += p.mass;
  return mass;
}

Vector3d CentreOfMass(const Particles& particles) {
  Vector3d moment = Vector3d::Zero();
  for (const Particle& p : particles) moment += p.mass * p.r;
  return moment / Mass(particles);
}

/// ∫ [r]ᵀ[r] dm about the origin.
Matrix3d Inertia(const Particles& particles) {
  Matrix3d I = Matrix3d::Zero();
  for (const Particle& p : particles) {
    I += p.mass * Skew(p.r).transpose() * Skew(p.r);
  }
  return I;
}

Particles About(const Particles& particles, const Vector3d& origin) {
  Particles moved = particles;
  for (Particle& p : moved) p.r -= origin;
  return moved;
}

Particles Turned(const Particles& particles, const Matrix3d& R) {
  Particles turned = particles;
  for (Particle& p : turned) p.r = R * p.r;
  return turned;
}

Particles RandomBody(Random& random) {
  Particles particles;
  for (int k = 0; k < 7; ++k) {
    particles.push_back({random.Uniform(0.1, 1), random.Vector(3, -0.5, 0.5)});
  }
  return particles;
}

/// The library's spatial inertia of the particles.
SpatialInertia<double> SpatialInertiaOf(const Particles& particles) {
  const Matrix3d I = Inertia(particles);
  const Vector3d h = Mass(particles) * CentreOfMass(particles);
  return {Mass(particles),
          {h[0], h[1], h[2]},
          {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}};
}

/// Components in the frame of the body, whose origin moves with v.
struct BodyMotion {
  Vector3d w, v, w_rate, v_rate;

  explicit BodyMotion(Random& random)
      : w(random.Vector(3, -2, 2)),
        v(random.Vector(3, -2, 2)),
        w_rate(random.Vector(3, -2, 2)),
        v_rate(random.Vector(3, -2, 2)) {}

  Twist<double> twist() const {
    return {{w[0], w[1], w[2]}, {v[0], v[1], v[2]}};
  }
  Twist<double> rate() const {
    return {{w_rate[0], w_rate[1], w_rate[2]},
            {v_rate[0], v_rate[1], v_rate[2]}};
  }
  Vector3d VelocityAt(const Vector3d& r) const { return v + w.cross(r); }
  /// Second derivative of the position of a point.
  Vector3d AccelerationAt(const Vector3d& r) const {
    return v_rate + w.cross(v) + w_rate.cross(r) + w.cross(w.cross(r));
  }
};

struct BodyInMotion {
  Particles body;
  BodyMotion motion;
};

BodyInMotion RandomBodyInMotion(std::uint64_t seed) {
  Random random(seed);
  Particles body = RandomBody(random);
  return {std::move(body), BodyMotion(random)};
}

struct Sums {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
  Vector3d momentum = Vector3d::Zero(), angular_momentum = Vector3d::Zero();
  double kinetic_energy = 0;
};

Sums Sum(const Particles& particles, const BodyMotion& motion) {
  Sums sums;
  for (const Particle& p : particles) {
    const Vector3d f = p.mass * motion.AccelerationAt(p.r);
    const Vector3d momentum = p.mass * motion.VelocityAt(p.r);
    sums.force += f;
    sums.moment += p.r.cross(f);
    sums.momentum += momentum;
    sums.angular_momentum += p.r.cross(momentum);
    sums.kinetic_energy += 0.5 * momentum.dot(motion.VelocityAt(p.r));
  }
  return sums;
}

Vector6d ToEigen(const Wrench<double>& F) {
  Vector6d six;
  six << F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z;
  return six;
}

#define EXPECT_CLOSE(a, b) EXPECT_LT(((a) - (b)).cwiseAbs().maxCoeff(), 1e-13)

Vector6d Stacked(const Vector3d& angular, const Vector3d& linear) {
  Vector6d six;
  six << angular, linear;
  return six;
}

TEST(RigidBody, PointsAccelerateAsTheirVelocitiesTurnAndChange) {
  // Along p(t) with the twist V + V̇ t the velocity of a point changes by
  // a = v̇ + ω × v + ω̇ × r + ω × (ω × r), in the axes of the body at t = 0.
  Random random(1);
  const BodyMotion motion(random);
  const Vector3d r = random.Vector(3, -1, 1);
  const auto velocity = [&](double t) -> Vector3d {
    const Vector6d V = Stacked(motion.w, motion.v);
    const Vector6d rate = Stacked(motion.w_rate, motion.v_rate);
    const Vector6d now = V + t * rate;
    // The body's pose to second order, all that a first derivative sees.
    const Matrix3d R = ExpScrew(V + 0.5 * t * rate, t).topLeftCorner<3, 3>();
    return R * (now.tail<3>() + now.head<3>().cross(r));
  };
  constexpr double kStep = 1e-5;
  EXPECT_LT(((velocity(kStep) - velocity(-kStep)) / (2 * kStep) -
             motion.AccelerationAt(r))
                .norm(),
            1e-8);
}

TEST(RigidBody, ForceIsMassTimesAccelerationOfTheCentreOfMass) {
  const auto [body, motion] = RandomBodyInMotion(2);
  const Particles about = About(body, CentreOfMass(body));
  // a_b = v̇_b + ω × v_b and f_b = m a_b, in body axes at the centre of mass.
  const Vector3d a = motion.v_rate + motion.w.cross(motion.v);
  EXPECT_CLOSE(Sum(about, motion).force, Mass(body) * a);
  EXPECT_GT((Sum(about, motion).force - Mass(body) * motion.v_rate).norm(),
            1e-2);
}

TEST(RigidBody, MomentFollowsEulersEquation) {
  const auto [body, motion] = RandomBodyInMotion(3);
  const Particles about = About(body, CentreOfMass(body));
  const Matrix3d I = Inertia(about);
  EXPECT_CLOSE(Sum(about, motion).moment,
               I * motion.w_rate + motion.w.cross(I * motion.w));
  EXPECT_GT((Sum(about, motion).moment - I * motion.w_rate).norm(), 1e-2);
}

TEST(RigidBody, AngularMomentumIsTheInertiaTimesTheAngularVelocity) {
  const auto [body, motion] = RandomBodyInMotion(4);
  const Particles about = About(body, CentreOfMass(body));
  EXPECT_CLOSE(Sum(about, motion).angular_momentum, Inertia(about) * motion.w);
  // Twin: about another point it is not.
  EXPECT_GT(
      (Sum(body, motion).angular_momentum - Inertia(body) * motion.w).norm(),
      1e-2);
}

TEST(RigidBody, SpatialMomentumIsTheInertiaTimesTheTwist) {
  const auto [body, motion] = RandomBodyInMotion(5);
  const Sums sums = Sum(body, motion);
  EXPECT_CLOSE(ToEigen(SpatialInertiaOf(body) * motion.twist()),
               Stacked(sums.angular_momentum, sums.momentum));
}

TEST(RigidBody, TwistAndWrenchObeyOneEquationInEveryFrame) {
  // F = G V̇ − ad_Vᵀ G V, wherever the frame is on the body.
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const Particles body = RandomBody(random);
    const BodyMotion motion(random);
    const SpatialInertia<double> G = SpatialInertiaOf(body);
    const Wrench<double> momentum = G * motion.twist();
    const Wrench<double> F =
        G * motion.rate() + MinusAdTranspose(motion.twist(), momentum);
    const Sums sums = Sum(body, motion);
    EXPECT_CLOSE(ToEigen(F), Stacked(sums.moment, sums.force));
    const Wrench<double> other =
        G * motion.rate() - MinusAdTranspose(motion.twist(), momentum);
    EXPECT_GT((ToEigen(other) - Stacked(sums.moment, sums.force)).norm(), 1e-2);
  }
}

TEST(RigidBody, KineticEnergyIsThatOfItsParticles) {
  const auto [body, motion] = RandomBodyInMotion(7);
  const SpatialInertia<double> G = SpatialInertiaOf(body);
  EXPECT_NEAR(0.5 * Dot(G * motion.twist(), motion.twist()),
              Sum(body, motion).kinetic_energy, 1e-13);
}

TEST(RigidBody, EnergySplitsAtTheCentreOfMass) {
  // ½ m |v|² + m v·(ω × c) + ½ ωᵀ I ω; the middle one vanishes there alone.
  const auto [body, motion] = RandomBodyInMotion(8);
  const auto terms = [&](const Particles& particles) {
    const double cross =
        Mass(particles) * motion.v.dot(motion.w.cross(CentreOfMass(particles)));
    return std::array<double, 3>{
        0.5 * Mass(particles) * motion.v.squaredNorm(), cross,
        0.5 * motion.w.dot(Inertia(particles) * motion.w)};
  };
  const auto off = terms(body);
  EXPECT_NEAR(off[0] + off[1] + off[2], Sum(body, motion).kinetic_energy,
              1e-13);
  EXPECT_GT(std::abs(off[1]), 1e-2);
  const Particles about = About(body, CentreOfMass(body));
  const auto central = terms(about);
  EXPECT_NEAR(central[1], 0, 1e-14);
  EXPECT_NEAR(central[0] + central[2], Sum(about, motion).kinetic_energy,
              1e-13);
}

TEST(RigidBody, InertiaTurnsWithTheAxes) {
  // R I Rᵀ in base axes, R the orientation of the body.
  Random random(9);
  const Particles body = RandomBody(random);
  const Matrix3d R = random.Rotation();
  const Matrix3d in_base = Inertia(Turned(body, R));
  EXPECT_CLOSE(in_base, R * Inertia(body) * R.transpose());
  EXPECT_GT((in_base - R.transpose() * Inertia(body) * R).norm(), 1e-2);
}

/// Gauss points of a box of uniform density: two in each direction, which
/// integrate polynomials of third degree exactly.
Particles Box(const Vector3d& size, const Vector3d& centre, double density) {
  const double volume = size.prod();
  Particles particles;
  for (int corner = 0; corner < 8; ++corner) {
    Vector3d r;
    for (int k = 0; k < 3; ++k) {
      r[k] = ((corner >> k & 1) != 0 ? 0.5 : -0.5) * size[k] / std::sqrt(3);
    }
    particles.push_back({density * volume / 8, centre + r});
  }
  return particles;
}

TEST(RigidBody, DensityIntegralGivesMassCentreAndInertia) {
  const Vector3d size(0.3, 0.5, 0.2), centre(0.1, -0.2, 0.4);
  const Particles box = Box(size, centre, 800);
  const double m = 800 * 0.3 * 0.5 * 0.2;
  EXPECT_NEAR(Mass(box), m, 1e-13);
  EXPECT_CLOSE(CentreOfMass(box), centre);
  const Vector3d squares = size.cwiseAbs2();
  const Vector3d moments =
      m / 12 *
      Vector3d(squares[1] + squares[2], squares[0] + squares[2],
               squares[0] + squares[1]);
  const Matrix3d I_c = Inertia(About(box, centre));
  EXPECT_CLOSE(I_c, Matrix3d(moments.asDiagonal()));
  // About another point it grows by m [c][c]ᵀ.
  EXPECT_CLOSE(Inertia(box), I_c + m * Skew(centre) * Skew(centre).transpose());
}

TEST(RigidBody, KineticEnergyIsAVolumeIntegral) {
  // ½ ∫ ρ |v(r)|² dV of a box about whose centre of mass the frame lies.
  Random random(10);
  const Vector3d size(0.3, 0.5, 0.2);
  const BodyMotion motion(random);
  const double m = 800 * size.prod();
  const Vector3d squares = size.cwiseAbs2();
  const Matrix3d I =
      (m / 12 * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
  const double closed =
      0.5 * m * motion.v.squaredNorm() + 0.5 * motion.w.dot(I * motion.w);
  EXPECT_NEAR(Sum(Box(size, Vector3d::Zero(), 800), motion).kinetic_energy,
              closed, 1e-13 * closed);
}

}  // namespace
}  // namespace torqued::testing_support
