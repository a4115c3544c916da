// Twists and accelerations of bodies and frames against exact rates of their
// placements.
#include "core/dynamics/link_motion-inl.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/jacobian_rate-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The robot on its way along (q, v, a).
struct Moving {
  explicit Moving(const RandomCase& c)
      : at(c.tree(), Along(c.state.q, c.state.v)),
        v(Along(c.state.v, c.state.a)) {
    ComputeBodyTwists(c.tree(), v.data(), at.scratch());
  }

  Configured<Dual> at;
  std::vector<Dual> v;
};

Configured<double> WithMotions(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  ComputeBodyMotions(c.tree(), c.state.v.data(), c.state.a.data(),
                     at.scratch());
  return at;
}

Vector6d Acceleration(const RandomCase& c, ReferenceFrame reference,
                      AccelerationKind kind) {
  Configured<double> at = WithMotions(c);
  Vector6d acceleration;
  FrameAcceleration(c.tree(), c.tip, reference, kind, at.scratch(),
                    acceleration.data());
  return acceleration;
}

/// As J q̈ + J̇ q̇ has it.
AccelerationKind KindOf(ReferenceFrame reference) {
  return reference == ReferenceFrame::kLocalWorldAligned
             ? AccelerationKind::kClassical
             : AccelerationKind::kSpatial;
}

TEST(LinkMotion, TwistsAreTheRatesOfThePlacements) {
  for (const RandomCase& c : MakeRandomCases()) {
    Moving moving(c);
    Configured<double> at = WithMotions(c);
    std::vector<double> rows(static_cast<std::size_t>(6 * c.n()));
    StoreBodyVectors(c.tree(), at.scratch().V, rows.data());
    for (int i = 0; i < c.n(); ++i) {
      // [V] = T⁻¹ Ṫ
      const Transform<Dual>& T = moving.at.scratch().X_world[i];
      const auto rate = [](const Vec3<Dual>& a) {
        return Vec3<double>{a.x.d, a.y.d, a.z.d};
      };
      const auto value = [](const Vec3<Dual>& a) {
        return Vec3<double>{a.x.x, a.y.x, a.z.x};
      };
      const Mat3<double> R = {value(T.R.c0), value(T.R.c1), value(T.R.c2)};
      const Twist<double> expected = {
          {Dot(R.c2, rate(T.R.c1)), Dot(R.c0, rate(T.R.c2)),
           Dot(R.c1, rate(T.R.c0))},
          TransposeTimes(R, rate(T.p))};
      const Eigen::Map<const Vector6d> V(rows.data() + 6 * i);
      EXPECT_LT(RelativeError(V, ToEigen(expected), 1), 1e-13) << c.name;
    }
  }
}

TEST(LinkMotion, AccelerationsAreTheRatesOfTheTwists) {
  for (const RandomCase& c : MakeRandomCases()) {
    Moving moving(c);
    Configured<double> at = WithMotions(c);
    // Twin: the velocity has its part.
    Configured<double> slow = At(c.tree(), c.state.q);
    ComputeBodyMotions(c.tree(), static_cast<const double*>(nullptr),
                       c.state.a.data(), slow.scratch());
    double difference = 0;
    for (int i = 0; i < c.n(); ++i) {
      const Twist<Dual>& V = moving.at.scratch().V[i];
      Vector6d rate;
      rate << V.w.x.d, V.w.y.d, V.w.z.d, V.v.x.d, V.v.y.d, V.v.z.d;
      EXPECT_LT(RelativeError(ToEigen(at.scratch().A[i]), rate, 1), 1e-13)
          << c.name;
      difference = std::max(
          difference, RelativeError(ToEigen(slow.scratch().A[i]), rate, 1));
    }
    if (c.n() > 2) {
      EXPECT_GT(difference, 1e-3) << c.name;
    }
  }
}

TEST(LinkMotion, FrameTwistIsTheJacobianTimesTheVelocity) {
  for (const RandomCase& c : MakeRandomCases()) {
    for (const ReferenceFrame reference : kReferenceFrames) {
      Configured<double> at = WithMotions(c);
      Vector6d V;
      FrameTwist(c.tree(), c.tip, reference, at.scratch(), V.data());
      RowMajor J(6, c.n());
      for (const ReferenceFrame other : kReferenceFrames) {
        FrameJacobian(c.tree(), c.tip, other, at.scratch(), J.data());
        const double error = RelativeError(V, J * c.state.v, 1e-3);
        if (other == reference) {
          EXPECT_LT(error, 1e-13) << c.name;
        } else if (c.n() > 2) {
          EXPECT_GT(error, 1e-4) << c.name;
        }
      }
    }
  }
}

TEST(LinkMotion, FrameAccelerationIsTheRateOfTheFrameTwist) {
  for (const RandomCase& c : MakeRandomCases()) {
    Moving moving(c);
    for (const ReferenceFrame reference : kReferenceFrames) {
      std::vector<Dual> V(6);
      FrameTwist(c.tree(), c.tip, reference, moving.at.scratch(), V.data());
      const Vector6d expected = Rates(V, 6, 1);
      EXPECT_LT(RelativeError(Acceleration(c, reference, KindOf(reference)),
                              expected, 1),
                1e-13)
          << c.name;
    }
  }
}

TEST(LinkMotion, FrameAccelerationIsMadeOfTheJacobianAndItsRate) {
  for (const RandomCase& c : MakeRandomCases()) {
    for (const ReferenceFrame reference : kReferenceFrames) {
      Configured<double> at = At(c.tree(), c.state.q);
      RowMajor J(6, c.n()), J_rate(6, c.n());
      FrameJacobian(c.tree(), c.tip, reference, at.scratch(), J.data());
      FrameJacobianRate(c.tree(), c.tip, reference, c.state.v.data(),
                        at.scratch(), J_rate.data());
      EXPECT_LT(RelativeError(Acceleration(c, reference, KindOf(reference)),
                              J * c.state.a + J_rate * c.state.v, 1),
                1e-13)
          << c.name;
    }
  }
}

TEST(LinkMotion, ClassicalAccelerationIsThatOfThePoint) {
  using enum ReferenceFrame;
  using enum AccelerationKind;
  bool differs = false;
  for (const RandomCase& c : MakeRandomCases()) {
    Configured<double> at = WithMotions(c);
    const Mat3<double> m = FramePlacement(c.tree(), c.tip, at.scratch()).R;
    Matrix3d R;
    R << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    for (const ReferenceFrame reference : kReferenceFrames) {
      Vector6d V;
      FrameTwist(c.tree(), c.tip, reference, at.scratch(), V.data());
      Vector6d expected = Acceleration(c, reference, kSpatial);
      const Vector3d extra = V.head<3>().cross(V.tail<3>());
      differs = differs || extra.norm() > 1e-3;
      expected.tail<3>() += extra;
      EXPECT_LT(
          RelativeError(Acceleration(c, reference, kClassical), expected, 1),
          1e-13)
          << c.name;
    }
    // World-aligned is local, turned.
    for (const AccelerationKind kind : {kSpatial, kClassical}) {
      const Vector6d local = Acceleration(c, kLocal, kind);
      Vector6d turned;
      turned << R * local.head<3>(), R * local.tail<3>();
      EXPECT_LT(
          RelativeError(Acceleration(c, kLocalWorldAligned, kind), turned, 1),
          1e-13)
          << c.name;
    }
  }
  EXPECT_TRUE(differs);
}

TEST(LinkMotion, FramesOnTheBaseStandStill) {
  const RandomCase c = MakeRandomCases({.count = 3}).back();
  Configured<double> at = WithMotions(c);
  const BodyFrame fixed = {kBase, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 2, 3}};
  for (const ReferenceFrame reference : kReferenceFrames) {
    Vector6d V, A;
    FrameTwist(c.tree(), fixed, reference, at.scratch(), V.data());
    FrameAcceleration(c.tree(), fixed, reference, AccelerationKind::kClassical,
                      at.scratch(), A.data());
    EXPECT_EQ(V.norm(), 0);
    EXPECT_EQ(A.norm(), 0);
  }
}

TEST(JacobianRate, IsTheRateOfTheJacobian) {
  for (const RandomCase& c : MakeRandomCases()) {
    Moving moving(c);
    for (const ReferenceFrame reference : kReferenceFrames) {
      std::vector<Dual> J(static_cast<std::size_t>(6 * c.n()));
      FrameJacobian(c.tree(), c.tip, reference, moving.at.scratch(), J.data());
      Configured<double> at = At(c.tree(), c.state.q);
      RowMajor rate = RowMajor::Constant(6, c.n(), 7);
      FrameJacobianRate(c.tree(), c.tip, reference, c.state.v.data(),
                        at.scratch(), rate.data());
      EXPECT_LT(RelativeError(rate, Rates(J, 6, c.n()), 1), 1e-13) << c.name;
    }
  }
}

TEST(JacobianRate, TimesTheVelocityIsTheDrift) {
  for (const RandomCase& c : MakeRandomCases()) {
    for (const ReferenceFrame reference : kReferenceFrames) {
      Configured<double> at = At(c.tree(), c.state.q);
      Vector6d drift;
      FrameDrift(c.tree(), c.tip, reference, c.state.v.data(), at.scratch(),
                 drift.data());
      double difference = 0;
      for (const ReferenceFrame other : kReferenceFrames) {
        RowMajor rate(6, c.n());
        FrameJacobianRate(c.tree(), c.tip, other, c.state.v.data(),
                          at.scratch(), rate.data());
        const double error = RelativeError(rate * c.state.v, drift, 1);
        if (other == reference) {
          EXPECT_LT(error, 1e-13) << c.name;
        } else {
          difference = std::max(difference, error);
        }
      }
      if (c.n() > 2) {
        EXPECT_GT(difference, 1e-5) << c.name;
      }
    }
  }
}

TEST(JacobianRate, OfARobotAtRestIsZero) {
  for (const RandomCase& c : MakeRandomCases({.count = 6})) {
    Configured<double> at = At(c.tree(), c.state.q);
    RowMajor rate = RowMajor::Constant(6, c.n(), 7);
    FrameJacobianRate(c.tree(), c.tip, ReferenceFrame::kLocal,
                      static_cast<const double*>(nullptr), at.scratch(),
                      rate.data());
    EXPECT_EQ(rate.norm(), 0);
  }
}

}  // namespace
}  // namespace torqued::testing_support
