// A base that moves against the same bodies as part of a larger robot, whose
// base rests: what is beyond a body is a robot with this body as its base.
#include <gtest/gtest.h>

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/energy-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/momentum-inl.h"
#include "core/dynamics/regressor-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

constexpr DynamicsTerms kTerms = {{1.5, -2.5, -9}, true, true, false};

/// A robot, and what hangs on one of its bodies.
struct Part {
  const RandomCase* whole;
  int base;             // body
  std::vector<int> of;  // body of the whole, for each body of the part
  RandomCase part;      // with its share of the state
  BaseMotion<double> motion;
  DynamicsTerms terms;  // gravity in axes of the base

  VectorXd Pick(const VectorXd& x) const {
    VectorXd picked(static_cast<Eigen::Index>(of.size()));
    for (std::size_t k = 0; k < of.size(); ++k) picked[k] = x[of[k]];
    return picked;
  }
};

Part Beyond(const RandomCase& c, int base) {
  Part p;
  p.whole = &c;
  p.base = base;
  p.part.name = c.name + ", beyond body " + std::to_string(base);
  std::vector<int> place(static_cast<std::size_t>(c.n()), -1);
  for (int i = base + 1; i < c.n(); ++i) {
    const int parent = c.bodies[i].parent;
    if (parent != base && (parent == kBase || place[parent] < 0)) continue;
    place[i] = static_cast<int>(p.of.size());
    p.of.push_back(i);
    p.part.bodies.push_back(c.bodies[i]);
    p.part.bodies.back().parent = parent == base ? kBase : place[parent];
  }
  p.part.state.q = p.Pick(c.state.q);
  p.part.state.v = p.Pick(c.state.v);
  p.part.state.a = p.Pick(c.state.a);
  Configured<double> at = At(c.tree(), c.state.q);
  ComputeBodyMotions(c.tree(), c.state.v.data(), c.state.a.data(),
                     at.scratch());
  p.motion = {at.scratch().V[base], at.scratch().A[base]};
  p.terms = kTerms;
  const Vec3<double> g = TransposeTimes(at.scratch().X_world[base].R,
                                        Vec3<double>::Constant(kTerms.gravity));
  Store(g, p.terms.gravity);
  return p;
}

template <class Check>
void ForParts(const Check& check) {
  int parts = 0;
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    for (int base = 0; base < c.n(); ++base) {
      const Part p = Beyond(c, base);
      if (p.of.empty()) continue;
      SCOPED_TRACE(p.part.name);
      ++parts;
      check(p);
    }
  }
  EXPECT_GT(parts, 100);
}

/// Torques of the part, with the memory that they leave.
VectorXd Torques(const Part& p, Configured<double>& at,
                 const BaseMotion<double>* motion) {
  VectorXd tau(p.part.n());
  InverseDynamics(p.part.tree(), p.terms, p.part.state.v.data(),
                  p.part.state.a.data(), at.scratch(), tau.data(), motion);
  return tau;
}

TEST(MovingBase, TakesTheTorquesOfTheWholeRobot) {
  ForParts([](const Part& p) {
    const RandomCase& c = *p.whole;
    Configured<double> whole = At(c.tree(), c.state.q);
    VectorXd tau(c.n());
    InverseDynamics(c.tree(), kTerms, c.state.v.data(), c.state.a.data(),
                    whole.scratch(), tau.data());
    const double scale = tau.cwiseAbs().maxCoeff();
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    EXPECT_LT(RelativeError(Torques(p, at, &p.motion), p.Pick(tau), scale),
              1e-13);
    // The reaction is what the base body passes on.
    Vector6d reaction;
    BaseReaction(p.part.tree(), at.scratch(), reaction.data());
    Vector6d passed = Vector6d::Zero();
    for (const int i : p.of) {
      if (c.bodies[i].parent != p.base) continue;
      passed += ToEigen(ToParent(whole.scratch().X[i], whole.scratch().F[i]));
    }
    EXPECT_LT(RelativeError(reaction, passed), 1e-12);
  });
}

TEST(MovingBase, ItsMotionMatters) {
  // Twin: without the velocity or the acceleration of the base. A joint that
  // slides or turns alone may not feel either.
  double velocity = 0, acceleration = 0;
  ForParts([&](const Part& p) {
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    const VectorXd tau = Torques(p, at, &p.motion);
    const BaseMotion<double> slow = {Twist<double>::Zero(), p.motion.A};
    const BaseMotion<double> steady = {p.motion.V, Twist<double>::Zero()};
    velocity += RelativeError(Torques(p, at, &slow), tau) > 1e-3;
    acceleration += RelativeError(Torques(p, at, &steady), tau) > 1e-3;
  });
  EXPECT_GT(velocity, 100);
  EXPECT_GT(acceleration, 100);
}

TEST(MovingBase, ForwardOfInverseIsIdentity) {
  ForParts([](const Part& p) {
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    const VectorXd tau = Torques(p, at, &p.motion);
    VectorXd a(p.part.n());
    ForwardDynamics(p.part.tree(), p.terms, p.part.state.v.data(), tau.data(),
                    at.scratch(), a.data(), &p.motion);
    RowMajor M(p.part.n(), p.part.n());
    MassMatrix(p.part.tree(), at.scratch(), M.data());
    EXPECT_LT(RelativeError(a, p.part.state.a, 1),
              200 * kEpsilon * ConditionNumber(M) * std::max(1.0, tau.norm()));
  });
}

TEST(MovingBase, AtRestIsNoMotion) {
  ForParts([](const Part& p) {
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    const BaseMotion<double> rest = {Twist<double>::Zero(),
                                     Twist<double>::Zero()};
    EXPECT_LT(RelativeError(Torques(p, at, &rest), Torques(p, at, nullptr)),
              1e-15);
  });
}

TEST(MovingBase, GravityOfTheStateIsThatOfTheTermsAndNoMotion) {
  ForParts([](Part p) {
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    const VectorXd tau = Torques(p, at, &p.motion);
    const double P = PotentialEnergy(p.part.tree(), p.terms.gravity,
                                     at.scratch(), &p.motion);
    p.motion.g = Vec3<double>::Constant(p.terms.gravity);
    p.terms.gravity[0] = p.terms.gravity[1] = p.terms.gravity[2] = 0;
    EXPECT_EQ(Torques(p, at, &p.motion), tau);
    EXPECT_EQ(PotentialEnergy(p.part.tree(), p.terms.gravity, at.scratch(),
                              &p.motion),
              P);
    // It is no motion.
    Vector6d drift, weightless;
    const auto drift_of = [&](const BaseMotion<double>& base, Vector6d& to) {
      FrameDrift(p.part.tree(),
                 {p.part.n() - 1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}},
                 ReferenceFrame::kLocal, p.part.state.v.data(), at.scratch(),
                 to.data(), &base);
    };
    drift_of(p.motion, drift);
    const Vec3<double> g = p.motion.g;
    p.motion.g = Vec3<double>::Zero();
    drift_of(p.motion, weightless);
    EXPECT_EQ(drift, weightless);
    // Twin: taken off the base's acceleration it gives the same torques, but is
    // a motion.
    p.motion.A.v -= g;
    EXPECT_LT(RelativeError(Torques(p, at, &p.motion), tau), 1e-13);
    drift_of(p.motion, weightless);
    EXPECT_GT(RelativeError(drift, weightless, 10), 1e-2);
  });
}

TEST(MovingBase, RegressorHasItsMotion) {
  ForParts([](const Part& p) {
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    const VectorXd tau = Torques(p, at, &p.motion);
    const int n = p.part.n();
    RowMajor Y(n, kInertialParameters * n);
    TorqueRegressor(p.part.tree(), p.terms, p.part.state.v.data(),
                    p.part.state.a.data(), at.scratch(), Y.data(), &p.motion);
    VectorXd theta(kInertialParameters * n), inside(n);
    for (int i = 0; i < n; ++i) {
      const TreeBody& b = p.part.bodies[i];
      theta.segment<10>(10 * i) << b.mass, b.h[0], b.h[1], b.h[2], b.I[0],
          b.I[1], b.I[3], b.I[2], b.I[4], b.I[5];
      const double v = p.part.state.v[i];
      inside[i] = b.armature * p.part.state.a[i] + b.viscous_friction * v +
                  b.coulomb_friction * (v > 0 ? 1 : -1);
    }
    EXPECT_LT(RelativeError(Y * theta + inside, tau), 1e-12);
  });
}

/// Those of a whole robot at rest, or of a part on its base.
RowMajor Derivatives(const RandomCase& c, const DynamicsTerms& terms,
                     const BaseMotion<double>* motion, RowMajor& by_v) {
  const auto n = static_cast<unsigned long>(c.n());
  Configured<double> at = At(c.tree(), c.state.q);
  Carver counter(nullptr);
  RneaDerivativesScratch<double> own{};
  CarveRneaDerivatives(n, counter, own);
  std::vector<double> memory(counter.used() / sizeof(double) + 1);
  Carver carver(memory.data());
  CarveRneaDerivatives(n, carver, own);
  RowMajor by_q(c.n(), c.n()), M(c.n(), c.n());
  by_v.resize(c.n(), c.n());
  InverseDynamicsDerivatives(c.tree(), terms, c.state.v.data(),
                             c.state.a.data(), at.scratch(), own, by_q.data(),
                             by_v.data(), M.data(), motion);
  return by_q;
}

TEST(MovingBase, DerivativesAreThoseOfTheWholeRobot) {
  // The joints beyond the base move, all others do as they did.
  double without = 0;
  ForParts([&](const Part& p) {
    RowMajor by_v, by_v_of_whole, other;
    const RowMajor by_q = Derivatives(p.part, p.terms, &p.motion, by_v);
    const RowMajor by_q_of_whole =
        Derivatives(*p.whole, kTerms, nullptr, by_v_of_whole);
    const RowMajor at_rest = Derivatives(p.part, p.terms, nullptr, other);
    const double scale = by_q_of_whole.cwiseAbs().maxCoeff();
    const double scale_v = by_v_of_whole.cwiseAbs().maxCoeff();
    const int n = p.part.n();
    double missed = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_NEAR(by_q(i, j), by_q_of_whole(p.of[i], p.of[j]), 1e-13 * scale);
        EXPECT_NEAR(by_v(i, j), by_v_of_whole(p.of[i], p.of[j]),
                    1e-13 * scale_v);
        missed = std::max(missed, std::abs(at_rest(i, j) - by_q(i, j)) / scale);
      }
    }
    without += missed > 1e-4;
  });
  // Twin.
  EXPECT_GT(without, 100);
}

TEST(MovingBase, EnergyAndMomentumAreThoseOfTheBodies) {
  ForParts([](const Part& p) {
    const RandomCase& c = *p.whole;
    Configured<double> whole = At(c.tree(), c.state.q);
    ComputeBodyTwists(c.tree(), c.state.v.data(), whole.scratch());
    double K = 0;
    Wrench<double> h = Wrench<double>::Zero();  // about the base's origin
    for (const int i : p.of) {
      const Twist<double>& V = whole.scratch().V[i];
      Wrench<double> own = BodyInertia<double>(c.bodies[i]) * V;
      K += 0.5 *
           (Dot(own, V) + c.bodies[i].armature * c.state.v[i] * c.state.v[i]);
      for (int j = i; j != p.base; j = c.bodies[j].parent) {
        own = ToParent(whole.scratch().X[j], own);
      }
      h += own;
    }
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    EXPECT_NEAR(KineticEnergy(p.part.tree(), p.part.state.v.data(),
                              at.scratch(), &p.motion),
                K, 1e-13 * K);
    double com[3], com_velocity[3], momentum[6];
    CentroidalMomentum(p.part.tree(), p.part.state.v.data(), at.scratch(), com,
                       com_velocity, momentum, &p.motion);
    h.m -= Cross(Vec3<double>::Constant(com), h.f);
    EXPECT_LT(RelativeError(Eigen::Map<Vector6d>(momentum), ToEigen(h)), 1e-13);
    EXPECT_LT(RelativeError(TotalMass(p.part.tree()) *
                                Eigen::Map<Eigen::Vector3d>(com_velocity),
                            ToEigen(h).tail<3>()),
              1e-14);
  });
}

TEST(MovingBase, DoesWorkOnTheRobot) {
  // dK/dt = τᵀ q̇ + V_0ᵀ F_base, without gravity and friction.
  const DynamicsTerms weightless = {};
  double of_base = 0;
  ForParts([&](const Part& p) {
    const State& s = p.part.state;
    Configured<double> at = At(p.part.tree(), s.q);
    VectorXd tau(p.part.n());
    Vector6d reaction;
    InverseDynamics(p.part.tree(), weightless, s.v.data(), s.a.data(),
                    at.scratch(), tau.data(), &p.motion);
    BaseReaction(p.part.tree(), at.scratch(), reaction.data());
    const auto along = [](const Vec3<double>& x, const Vec3<double>& rate) {
      return Vec3<Dual>{Dual(x.x, rate.x), Dual(x.y, rate.y),
                        Dual(x.z, rate.z)};
    };
    const BaseMotion<Dual> base = {
        {along(p.motion.V.w, p.motion.A.w), along(p.motion.V.v, p.motion.A.v)},
        Twist<Dual>::Zero()};
    Configured<Dual> moving(p.part.tree(), Along(s.q, s.v));
    const std::vector<Dual> v = Along(s.v, s.a);
    const double power =
        KineticEnergy(p.part.tree(), v.data(), moving.scratch(), &base).d;
    const double by_base = ToEigen(p.motion.V).dot(reaction);
    const double scale =
        std::max(1.0, std::abs(by_base)) + tau.cwiseAbs().dot(s.v.cwiseAbs());
    EXPECT_NEAR(power, tau.dot(s.v) + by_base, 1e-12 * scale);
    of_base = std::max(of_base, std::abs(by_base) / scale);
  });
  EXPECT_GT(of_base, 0.5);
}

TEST(MovingBase, FramesMoveAsOnTheWholeRobot) {
  ForParts([](const Part& p) {
    const RandomCase& c = *p.whole;
    Configured<double> whole = At(c.tree(), c.state.q);
    ComputeBodyMotions(c.tree(), c.state.v.data(), c.state.a.data(),
                       whole.scratch());
    Configured<double> at = At(p.part.tree(), p.part.state.q);
    ComputeBodyMotions(p.part.tree(), p.part.state.v.data(),
                       p.part.state.a.data(), at.scratch(), &p.motion);
    const Transform<double>& base = whole.scratch().X_world[p.base];
    // On the last body and on the base itself.
    for (const int body : {p.part.n() - 1, kBase}) {
      BodyFrame frame = c.tip, frame_of_whole = c.tip;
      frame.body = body;
      frame_of_whole.body = body == kBase ? p.base : p.of.back();
      for (const ReferenceFrame reference : kReferenceFrames) {
        // In axes of the base, and at its origin for kWorld.
        const auto turned = [&](const Vector6d& x) {
          Twist<double> V = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
          if (reference == ReferenceFrame::kWorld) {
            V = ToChild(base, V);
          } else if (reference == ReferenceFrame::kLocalWorldAligned) {
            V = {TransposeTimes(base.R, V.w), TransposeTimes(base.R, V.v)};
          }
          return ToEigen(V);
        };
        Vector6d ours, theirs;
        FrameTwist(p.part.tree(), frame, reference, at.scratch(), ours.data(),
                   &p.motion);
        FrameTwist(c.tree(), frame_of_whole, reference, whole.scratch(),
                   theirs.data());
        EXPECT_LT(RelativeError(ours, turned(theirs), 1), 1e-13);
        for (const AccelerationKind kind :
             {AccelerationKind::kSpatial, AccelerationKind::kClassical}) {
          FrameAcceleration(p.part.tree(), frame, reference, kind, at.scratch(),
                            ours.data(), &p.motion);
          FrameAcceleration(c.tree(), frame_of_whole, reference, kind,
                            whole.scratch(), theirs.data());
          // The point at the origin of one base is not that of the other.
          if (kind == AccelerationKind::kClassical &&
              reference == ReferenceFrame::kWorld) {
            continue;
          }
          EXPECT_LT(RelativeError(ours, turned(theirs), 10), 1e-13);
        }
        // Drift and Jacobian make the acceleration here as well.
        Vector6d drift;
        RowMajor J(6, p.part.n());
        FrameJacobian(p.part.tree(), frame, reference, at.scratch(), J.data());
        Configured<double> other = At(p.part.tree(), p.part.state.q);
        FrameDrift(p.part.tree(), frame, reference, p.part.state.v.data(),
                   other.scratch(), drift.data(), &p.motion);
        FrameAcceleration(p.part.tree(), frame, reference,
                          reference == ReferenceFrame::kLocalWorldAligned
                              ? AccelerationKind::kClassical
                              : AccelerationKind::kSpatial,
                          at.scratch(), ours.data(), &p.motion);
        EXPECT_LT(RelativeError(J * p.part.state.a + drift, ours, 10), 1e-13);
      }
    }
  });
}

}  // namespace
}  // namespace torqued::testing_support
