// The equation of motion from energies and from geometric Jacobians, without
// the recursions (Siciliano et al. 2009, sections 7.1 and 7.2).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <vector>

#include "core/dynamics/coriolis-inl.h"
#include "core/dynamics/energy-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/model/screws.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kGravity[3] = {1.5, -2.5, -9};
const Vector3d kDown(1.5, -2.5, -9);
const DynamicsTerms kWeightless = {{0, 0, 0}, false, false, false};
const DynamicsTerms kHeavy = {{1.5, -2.5, -9}, false, false, false};

VectorXd CoriolisForces(const RandomCase& c, const VectorXd& v) {
  const VectorXd none = VectorXd::Zero(c.n());
  return Torques(c.tree(), kWeightless, c.state.q, v.data(), none.data());
}

VectorXd GravityForces(const RandomCase& c) {
  const VectorXd none = VectorXd::Zero(c.n());
  return Torques(c.tree(), kHeavy, c.state.q, none.data(), none.data());
}

/// ∂M/∂q_k for all k.
std::vector<MatrixXd> MassGradient(const RandomCase& c) {
  std::vector<MatrixXd> gradient;
  gradient.reserve(static_cast<std::size_t>(c.n()));
  for (int k = 0; k < c.n(); ++k) {
    gradient.push_back(MassRate(c, VectorXd::Unit(c.n(), k)));
  }
  return gradient;
}

VectorXd PotentialGradient(const RandomCase& c) {
  VectorXd gradient(c.n());
  for (int i = 0; i < c.n(); ++i) {
    Configured<Dual> at(c.tree(), Along(c.state.q, VectorXd::Unit(c.n(), i)));
    gradient[i] = PotentialEnergy(c.tree(), kGravity, at.scratch()).d;
  }
  return gradient;
}

/// ∂K/∂q_i at fixed rates.
VectorXd KineticGradient(const RandomCase& c) {
  VectorXd gradient(c.n());
  const std::vector<Dual> v = Along(c.state.v, VectorXd::Zero(c.n()));
  for (int i = 0; i < c.n(); ++i) {
    Configured<Dual> at(c.tree(), Along(c.state.q, VectorXd::Unit(c.n(), i)));
    gradient[i] = KineticEnergy(c.tree(), v.data(), at.scratch()).d;
  }
  return gradient;
}

/// d/dt ∂K/∂q̇_i. K is quadratic in the rates, so that ∂K/∂q̇_i is exactly
/// ½ (K(q, q̇ + e_i) − K(q, q̇ − e_i)).
VectorXd MomentumRate(const RandomCase& c) {
  VectorXd rate(c.n());
  Configured<Dual> at(c.tree(), Along(c.state.q, c.state.v));
  const auto K = [&](const VectorXd& v) {
    return KineticEnergy(c.tree(), Along(v, c.state.a).data(), at.scratch()).d;
  };
  for (int i = 0; i < c.n(); ++i) {
    const VectorXd unit = VectorXd::Unit(c.n(), i);
    rate[i] = 0.5 * (K(c.state.v + unit) - K(c.state.v - unit));
  }
  return rate;
}

TEST(Lagrangian, EulerLagrangeTorqueIsTheInverseDynamics) {
  // τ = d/dt ∂L/∂q̇ − ∂L/∂q with L = K − P.
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const State& s = c.state;
    const VectorXd L_gradient = KineticGradient(c) - PotentialGradient(c);
    const VectorXd tau = Torques(c.tree(), kHeavy, s.q, s.v.data(), s.a.data());
    EXPECT_LT(RelativeError(MomentumRate(c) - L_gradient, tau, 1), 1e-12)
        << c.name;
    // Twin: with L = K + P.
    const VectorXd wrong = KineticGradient(c) + PotentialGradient(c);
    EXPECT_GT(RelativeError(MomentumRate(c) - wrong, tau, 1), 1e-4) << c.name;
  }
}

TEST(Lagrangian, BothTermsOfTheKineticEnergyAreMadeOfTheMassMatrix) {
  // d/dt ∂K/∂q̇_i = Σ m_ij q̈_j + Σ ∂m_ij/∂q_k q̇_k q̇_j and
  // ∂K/∂q_i = ½ Σ ∂m_jk/∂q_i q̇_k q̇_j.
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const State& s = c.state;
    const auto dM = MassGradient(c);
    VectorXd momentum_rate = MassMatrixOf(c) * s.a, gradient(c.n());
    for (int k = 0; k < c.n(); ++k) {
      momentum_rate += dM[k] * s.v * s.v[k];
      gradient[k] = 0.5 * s.v.dot(dM[k] * s.v);
    }
    EXPECT_LT(RelativeError(momentum_rate, MomentumRate(c), 1), 1e-13)
        << c.name;
    EXPECT_LT(RelativeError(gradient, KineticGradient(c), 1), 1e-13) << c.name;
  }
}

TEST(Lagrangian, BiasFollowsFromTheRateOfTheMassMatrixAndGradients) {
  // c + g = Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q + ∂P/∂q.
  for (const RandomCase& c : MakeRandomCases()) {
    const State& s = c.state;
    const VectorXd bias =
        MassRate(c, s.v) * s.v - KineticGradient(c) + PotentialGradient(c);
    const VectorXd none = VectorXd::Zero(c.n());
    const VectorXd expected =
        Torques(c.tree(), kHeavy, s.q, s.v.data(), none.data());
    EXPECT_LT(RelativeError(bias, expected, 1), 1e-13) << c.name;
  }
}

/// c_ijk at (i n + j) n + k.
std::vector<double> Symbols(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  std::vector<double> symbols(static_cast<std::size_t>(c.n() * c.n() * c.n()));
  ChristoffelSymbols(c.tree(), at.scratch(), symbols.data());
  return symbols;
}

TEST(Lagrangian, TorqueFollowsFromElementsSymbolsAndPotential) {
  // τ_i = Σ m_ij q̈_j + Σ c_ijk q̇_j q̇_k + ∂P/∂q_i.
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const State& s = c.state;
    const int n = c.n();
    const auto symbols = Symbols(c);
    VectorXd tau = MassMatrixOf(c) * s.a + PotentialGradient(c);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          tau[i] += symbols[(i * n + j) * n + k] * s.v[j] * s.v[k];
        }
      }
    }
    const VectorXd expected =
        Torques(c.tree(), kHeavy, s.q, s.v.data(), s.a.data());
    EXPECT_LT(RelativeError(tau, expected, 1), 1e-13) << c.name;
  }
}

TEST(Lagrangian, UnsymmetricCoefficientsGiveTheForcesButNoSkewMatrix) {
  // h_ijk = ∂m_ij/∂q_k − ½ ∂m_jk/∂q_i.
  int unsymmetric = 0;
  for (const RandomCase& c : MakeRandomCases()) {
    const State& s = c.state;
    const int n = c.n();
    const auto dM = MassGradient(c);
    const auto symbols = Symbols(c);
    const auto h = [&](int i, int j, int k) {
      return dM[k](i, j) - 0.5 * dM[i](j, k);
    };
    MatrixXd C(n, n);  // of the h_ijk
    C.setZero();
    double scale = 1e-3, worst = 0, difference = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          const double symbol = symbols[(i * n + j) * n + k];
          C(i, j) += h(i, j, k) * s.v[k];
          scale = std::max(scale, std::abs(symbol));
          worst =
              std::max(worst, std::abs(h(i, j, k) + h(i, k, j) - 2 * symbol));
          difference = std::max(difference, std::abs(h(i, j, k) - symbol));
        }
      }
    }
    EXPECT_LT(worst, 1e-13 * scale) << c.name;
    EXPECT_LT(RelativeError(C * s.v, CoriolisForces(c, s.v), 1), 1e-13)
        << c.name;
    // The quadratic form vanishes, which does not make the matrix skew.
    const MatrixXd N = MassRate(c, s.v) - 2 * C;
    EXPECT_NEAR(s.v.dot(N * s.v), 0,
                1e-12 * std::max(1.0, N.norm()) * s.v.squaredNorm())
        << c.name;
    if (difference > 1e-3 * scale) {
      ++unsymmetric;
      EXPECT_GT((N + N.transpose()).norm(), 1e-6) << c.name;
    }
  }
  EXPECT_GT(unsymmetric, 20);
}

TEST(Lagrangian, CentrifugalAndCoriolisTermsSumToTheForces) {
  // Σ_j c_ijj q̇_j² and 2 Σ_{j<k} c_ijk q̇_j q̇_k; a joint that moves alone has
  // the first alone.
  for (const RandomCase& c : MakeRandomCases()) {
    const VectorXd& v = c.state.v;
    const int n = c.n();
    const auto symbols = Symbols(c);
    VectorXd centrifugal = VectorXd::Zero(n), coriolis = centrifugal;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        centrifugal[i] += symbols[(i * n + j) * n + j] * v[j] * v[j];
        for (int k = j + 1; k < n; ++k) {
          coriolis[i] += 2 * symbols[(i * n + j) * n + k] * v[j] * v[k];
        }
      }
    }
    EXPECT_LT(RelativeError(centrifugal + coriolis, CoriolisForces(c, v), 1),
              1e-13)
        << c.name;
    VectorXd alone = VectorXd::Zero(n);
    for (int j = 0; j < n; ++j) {
      alone += CoriolisForces(c, v[j] * VectorXd::Unit(n, j));
    }
    EXPECT_LT(RelativeError(centrifugal, alone, 1), 1e-13) << c.name;
  }
}

TEST(ParticleOnALine, ForceFollowsFromItsLagrangian) {
  // L = ½ m ẋ² − m g x, so that f = m ẍ + m g.
  constexpr double kMass = 3, kG = 9.81;
  TreeBody body = {};
  body.parent = kBase;
  body.motion = JointMotion::kPrismatic;
  body.R[0] = body.R[4] = body.R[8] = 1;
  body.axis[2] = 1;
  body.mass = kMass;
  const Tree tree = {1, &body};
  constexpr double kFall[3] = {0, 0, -kG};
  const double x = 0.7, v = 1.3, a = -0.4;
  const VectorXd q = VectorXd::Constant(1, x);
  Configured<double> at = At(tree, q);
  EXPECT_DOUBLE_EQ(KineticEnergy(tree, &v, at.scratch()) -
                       PotentialEnergy(tree, kFall, at.scratch()),
                   0.5 * kMass * v * v - kMass * kG * x);
  const DynamicsTerms terms = {{0, 0, -kG}, false, false, false};
  const VectorXd f = Torques(tree, terms, q, &v, &a);
  EXPECT_DOUBLE_EQ(f[0], kMass * a + kMass * kG);
}

/// A body at its centre of mass, in base axes.
struct Central {
  double mass;
  Matrix3d I;          // R I_c Rᵀ
  Matrix3Xd J_P, J_O;  // ṗ_com = J_P q̇, ω = J_O q̇
};

Vector3d InBase(const Transform<double>& X, const double* x) {
  const Vec3<double> moved = X.R * Vec3<double>::Constant(x);
  return {moved.x, moved.y, moved.z};
}

Vector3d Place(const Transform<double>& X) { return {X.p.x, X.p.y, X.p.z}; }

/// J_P,j = z_j × (p_com − p_j), J_O,j = z_j of a joint that turns;
/// J_P,j = z_j, J_O,j = 0 of one that slides; for the joints that carry i.
Central CentralOf(const Tree& tree, const Scratch<double>& scratch, int i) {
  const TreeBody& body = tree.bodies[i];
  const Transform<double>& X = scratch.X_world[i];
  const Vector3d com = Place(X) + InBase(X, body.h) / body.mass;
  const Vector3d c = Eigen::Map<const Vector3d>(body.h) / body.mass;
  const double* const m = body.I;
  Matrix3d I_origin, R;
  I_origin << m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5];
  for (int k = 0; k < 3; ++k)
    R.col(k) = InBase(X, Vector3d::Unit(k).eval().data());
  Central central;
  central.mass = body.mass;
  central.I = R * (I_origin - body.mass * Skew(c) * Skew(c).transpose()) *
              R.transpose();
  central.J_P = central.J_O = Matrix3Xd::Zero(3, tree.n);
  for (int j = i; j != kBase; j = tree.bodies[j].parent) {
    const Vector3d z = InBase(scratch.X_world[j], tree.bodies[j].axis);
    if (tree.bodies[j].motion == JointMotion::kRevolute) {
      central.J_P.col(j) = z.cross(com - Place(scratch.X_world[j]));
      central.J_O.col(j) = z;
    } else {
      central.J_P.col(j) = z;
    }
  }
  return central;
}

std::vector<Central> Centrals(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  std::vector<Central> centrals;
  for (int i = 0; i < c.n(); ++i) {
    if (c.bodies[i].mass > 0) {
      centrals.push_back(CentralOf(c.tree(), at.scratch(), i));
    }
  }
  return centrals;
}

TEST(GeometricJacobians, AreThoseOfAFrameAtTheCentreOfMass) {
  for (const RandomCase& c : MakeRandomCases()) {
    Configured<double> at = At(c.tree(), c.state.q);
    for (int i = 0; i < c.n(); ++i) {
      const TreeBody& body = c.bodies[i];
      const BodyFrame frame = {i,
                               {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               {body.h[0] / body.mass, body.h[1] / body.mass,
                                body.h[2] / body.mass}};
      RowMajor J(6, c.n());
      FrameJacobian(c.tree(), frame, ReferenceFrame::kLocalWorldAligned,
                    at.scratch(), J.data());
      const Central central = CentralOf(c.tree(), at.scratch(), i);
      EXPECT_LT(RelativeError(central.J_O, J.topRows(3), 1), 1e-13) << c.name;
      EXPECT_LT(RelativeError(central.J_P, J.bottomRows(3), 1), 1e-13)
          << c.name;
    }
  }
}

TEST(GeometricJacobians, MakeTheMassMatrix) {
  // M = Σ m J_Pᵀ J_P + J_Oᵀ R I Rᵀ J_O.
  for (const RandomCase& c : MakeRandomCases()) {
    MatrixXd M = MatrixXd::Zero(c.n(), c.n());
    for (const Central& b : Centrals(c)) {
      M += b.mass * b.J_P.transpose() * b.J_P + b.J_O.transpose() * b.I * b.J_O;
    }
    EXPECT_LT(RelativeError(M, MassMatrixOf(c)), 1e-13) << c.name;
  }
}

TEST(GeometricJacobians, MakeTheKineticEnergy) {
  // K = ½ Σ m ṗ_comᵀ ṗ_com + ωᵀ R I Rᵀ ω.
  for (const RandomCase& c : MakeRandomCases()) {
    double K = 0;
    for (const Central& b : Centrals(c)) {
      const Vector3d w = b.J_O * c.state.v;
      K += 0.5 * b.mass * (b.J_P * c.state.v).squaredNorm() +
           0.5 * w.dot(b.I * w);
    }
    Configured<double> at = At(c.tree(), c.state.q);
    const double expected =
        KineticEnergy(c.tree(), c.state.v.data(), at.scratch());
    EXPECT_NEAR(K, expected, 1e-13 * expected) << c.name;
  }
}

TEST(GeometricJacobians, MakeTheGravityTorques) {
  // g_i = −Σ m gᵀ J_P,i: what holds the arm, not what gravity exerts.
  for (const RandomCase& c : MakeRandomCases()) {
    VectorXd g = VectorXd::Zero(c.n());
    for (const Central& b : Centrals(c)) {
      g -= b.mass * b.J_P.transpose() * kDown;
    }
    EXPECT_LT(RelativeError(g, GravityForces(c), 1), 1e-13) << c.name;
    EXPECT_GT(RelativeError(-g, GravityForces(c), 1), 1e-4) << c.name;
  }
}

TEST(Power, OfAllForcesIsTheRateOfTheKineticEnergy) {
  // dK/dt = q̇ᵀ (τ − F_v q̇ − F_s sgn q̇ − Jᵀ F_tip − g(q)).
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    const State& s = c.state;
    Configured<double> at = At(c.tree(), s.q);
    DynamicsTerms terms = kHeavy;
    terms.viscous_friction = terms.coulomb_friction = true;
    terms.external_wrenches = true;
    const VectorXd acting = -s.wrench;
    ClearWrenches(c.tree(), at.scratch());
    AddWrench(c.tree(), c.tip, ReferenceFrame::kLocal, acting.data(),
              at.scratch());
    VectorXd tau(c.n());
    InverseDynamics(c.tree(), terms, s.v.data(), s.a.data(), at.scratch(),
                    tau.data());
    RowMajor J(6, c.n());
    FrameJacobian(c.tree(), c.tip, ReferenceFrame::kLocal, at.scratch(),
                  J.data());
    VectorXd xi = tau - J.transpose() * s.wrench - GravityForces(c);
    for (int i = 0; i < c.n(); ++i) {
      xi[i] -= c.bodies[i].viscous_friction * s.v[i] +
               c.bodies[i].coulomb_friction * (s.v[i] > 0 ? 1 : -1);
    }
    Configured<Dual> moving(c.tree(), Along(s.q, s.v));
    const double K_rate =
        KineticEnergy(c.tree(), Along(s.v, s.a).data(), moving.scratch()).d;
    const double scale = std::max(1.0, tau.cwiseAbs().dot(s.v.cwiseAbs()));
    EXPECT_NEAR(K_rate, xi.dot(s.v), 1e-12 * scale) << c.name;
    EXPECT_GT(std::abs(K_rate - tau.dot(s.v)), 1e-6 * scale) << c.name;
    // The same as q̇ᵀ M q̈ + ½ q̇ᵀ Ṁ q̇.
    EXPECT_NEAR(
        K_rate,
        s.v.dot(MassMatrixOf(c) * s.a) + 0.5 * s.v.dot(MassRate(c, s.v) * s.v),
        1e-12 * scale)
        << c.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support
