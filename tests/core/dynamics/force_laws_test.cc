// Laws of the equation of motion: M, C, g, friction, wrenches, energy and what
// is solved with M.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;
using enum Quantity;

constexpr Input kV = Input::kV, kA = Input::kA, kTau = Input::kTau;

bool OnOneBranch(const Setting& s, int i, int j) {
  const Tree tree = s.model->tree();
  int low = std::max(i, j);
  while (low > std::min(i, j)) low = tree.bodies[low].parent;
  return low == std::min(i, j);
}

/// What acts between the two bodies of a joint.
VectorXd Rotors(const Setting& s) {
  VectorXd rotors(s.n());
  for (const Joint& joint : s.model->joints()) {
    rotors[joint.v_index] = joint.armature * s[kA][joint.v_index];
  }
  return rotors;
}

Setting WithFriction(Setting s) {
  s.options.terms.viscous_friction = s.options.terms.coulomb_friction = true;
  return s;
}

/// The base on its way, gravity of its own, and wrenches on three frames.
Setting Surrounded(Setting s, std::uint64_t seed) {
  Random random(seed);
  s[Input::kBaseTwist] = random.Vector(6, -1, 1);
  s[Input::kBaseAcceleration] = random.Vector(6, -3, 3);
  s[Input::kGravity] = random.Vector(3, -9, 9);
  s[Input::kTipWrench] = random.Vector(6, -20, 20);
  s.options.wrench_frame = kReferenceFrames[seed % 3];
  const auto frames = s.model->frames();
  for (const ReferenceFrame frame : kReferenceFrames) {
    s.options.external_wrenches.push_back(
        {frames[static_cast<std::size_t>(
                    random.Index(static_cast<int>(frames.size())))]
             .name,
         frame});
  }
  s[Input::kExternalWrenches] = random.Vector(18, -20, 20);
  return WithFriction(std::move(s));
}

TEST_P(Laws, MassMatrixIsSymmetricAndPositiveDefinite) {
  for (const Setting& s : Settings()) {
    const RowMajor M = Of(s, {kMassMatrix}).Matrix(Output::kMassMatrix, s.n());
    EXPECT_EQ(M, M.transpose()) << s.name;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<RowMajor>(M).eigenvalues()[0], 0);
  }
}

TEST_P(Laws, MassMatrixIsMadeOfTorquesOfUnitAccelerations) {
  for (Setting s : Settings()) {
    const RowMajor M = Of(s, {kMassMatrix}).Matrix(Output::kMassMatrix, s.n());
    s.options.terms.gravity = {0, 0, 0};
    s.inputs.erase(kV);
    for (int j = 0; j < s.n(); ++j) {
      s[kA] = VectorXd::Unit(s.n(), j);
      const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
      EXPECT_LT(RelativeError(tau, M.col(j), M.norm()), tolerance()) << s.name;
      EXPECT_GT(RelativeError(tau, 1.01 * M.col(j), M.norm()), 1e-8) << s.name;
    }
  }
}

TEST_P(Laws, TorqueIsInertiaBiasAndFriction) {
  // τ = M a + C v + g + F_v v + F_s sgn v, by the Coriolis matrix and by the
  // symbols c_ijk, which are symmetric in j and k.
  int skew = 0;
  for (const Setting& s : Settings()) {
    const Answers is =
        Of(s, {kInverseDynamics, kMassMatrix, kBiasForces, kGravityForces,
               kCoriolisForces, kCoriolisMatrix, kChristoffelSymbols});
    const int n = s.n();
    const RowMajor M = is.Matrix(Output::kMassMatrix, n),
                   C = is.Matrix(Output::kCoriolisMatrix, n);
    const VectorXd g = is[Output::kGravity], c = is[Output::kCoriolis],
                   tau = is[Output::kTau];
    const double size = 1 + tau.norm() + g.norm() + c.norm();
    EXPECT_LT(RelativeError(C * s[kV], c, size), tolerance()) << s.name;
    EXPECT_LT(RelativeError(is[Output::kBias], c + g, size), tolerance());
    EXPECT_LT(RelativeError(tau, M * s[kA] + c + g, size), tolerance());
    const RowMajor symbols = is.Matrix(Output::kChristoffel, n * n);
    const RowMajor sum =
        (symbols * s[kV]).reshaped<Eigen::RowMajor>(n, n).eval();
    EXPECT_LT(RelativeError(sum, C, M.norm()), tolerance()) << s.name;
    for (int i = 0; i < n; ++i) {
      const RowMajor of_i = symbols.middleRows(i * n, n);
      EXPECT_EQ(of_i, of_i.transpose());
    }
    const VectorXd with = Of(WithFriction(s), {kInverseDynamics})[Output::kTau];
    VectorXd friction(n);
    for (const Joint& joint : s.model->joints()) {
      const double v = s[kV][joint.v_index];
      friction[joint.v_index] =
          joint.damping * v + std::copysign(joint.friction, v);
    }
    EXPECT_LT(RelativeError(with - tau, friction, size), tolerance());
    // Twins.
    skew += RelativeError(C.transpose() * s[kV], c, 1e-3) > 1e-6;
    EXPECT_GT(RelativeError(tau, M * s[kA] + c, 1), 1e-5) << s.name;
  }
  EXPECT_GT(skew, 30);
}

TEST_P(Laws, SmoothedFrictionIsAHyperbolicTangent) {
  for (Setting s : Settings()) {
    s.options.terms.gravity = {0, 0, 0};
    s.inputs.erase(kA);
    s[kV] *= 0.01;  // no Coriolis forces beside it
    const VectorXd without = Of(s, {kInverseDynamics})[Output::kTau];
    s.options.terms.coulomb_friction = true;
    s.options.terms.coulomb_smoothing = 0.01;
    const VectorXd with = Of(s, {kInverseDynamics})[Output::kTau];
    VectorXd expected = without;
    for (const Joint& joint : s.model->joints()) {
      expected[joint.v_index] +=
          joint.friction * std::tanh(s[kV][joint.v_index] / 0.01);
    }
    EXPECT_LT(RelativeError(with, expected, 1), 10 * tolerance()) << s.name;
  }
}

TEST_P(Laws, RateOfTheMassMatrixIsTheCoriolisMatrixAndItsTransposed) {
  // So that Ṁ − 2C is skew, and rotors have no part in it.
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kCoriolisMatrix, kMassMatrixRate});
    const RowMajor C = is.Matrix(Output::kCoriolisMatrix, s.n()),
                   rate = is.Matrix(Output::kMassMatrixRate, s.n());
    EXPECT_EQ(rate, rate.transpose());
    EXPECT_LT(RelativeError(rate, C + C.transpose(), 1e-3), tolerance());
    if (s.n() > 1 && rate.norm() > 1e-3) {
      EXPECT_GT(RelativeError(rate, 2 * C, 1e-3), 1e-6) << s.name;
    }
  }
}

TEST_P(Laws, JointsOnDifferentBranchesDoNotFeelEachOther) {
  int pairs = 0;
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kMassMatrix, kCoriolisMatrix, kMassMatrixRate,
                              kRegressor, kInverseDynamicsDerivatives});
    for (int i = 0; i < s.n(); ++i) {
      for (int j = 0; j < s.n(); ++j) {
        if (OnOneBranch(s, i, j)) continue;
        ++pairs;
        for (const Output output :
             {Output::kMassMatrix, Output::kCoriolisMatrix,
              Output::kMassMatrixRate, Output::kTauByQ, Output::kTauByV}) {
          EXPECT_EQ(is.Matrix(output, s.n())(i, j), 0) << s.name;
        }
        EXPECT_EQ(is.Matrix(Output::kRegressor, s.n())
                      .row(i)
                      .segment(10 * j, 10)
                      .norm(),
                  0);
      }
    }
  }
  EXPECT_GT(pairs, 100);
}

TEST_P(Laws, TorquesAreLinearInTheInertialParameters) {
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kRegressor, kInverseDynamics});
    VectorXd theta(10 * s.n());
    for (int i = 0; i < s.n(); ++i) {
      const TreeBody& b = s.model->tree().bodies[i];
      theta.segment<10>(10 * i) << b.mass, b.h[0], b.h[1], b.h[2], b.I[0],
          b.I[1], b.I[3], b.I[2], b.I[4], b.I[5];
    }
    const RowMajor Y = is.Matrix(Output::kRegressor, s.n());
    const VectorXd tau = is[Output::kTau] - Rotors(s);
    EXPECT_LT(RelativeError(Y * theta, tau, 1), 10 * tolerance()) << s.name;
    theta.tail(10) *= 1.1;
    EXPECT_GT(RelativeError(Y * theta, tau), 1e-6) << s.name;
  }
}

TEST_P(Laws, JointWrenchesProjectOnTheAxesToTheTorques) {
  int rubbing = 0;
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    const Setting s = Surrounded(plain, seed++);
    Setting frictionless = s;
    frictionless.options.terms.viscous_friction = false;
    frictionless.options.terms.coulomb_friction = false;
    const Answers is = Of(s, {kJointWrenches, kInverseDynamics});
    const VectorXd tau =
        Of(frictionless, {kInverseDynamics})[Output::kTau] - Rotors(s);
    const RowMajor F = is.Matrix(Output::kJointWrenches, s.n());
    VectorXd projected(s.n());
    for (int i = 0; i < s.n(); ++i) {
      const TreeBody& body = s.model->tree().bodies[i];
      const int first = body.motion == JointMotion::kRevolute ? 0 : 3;
      projected[i] = Eigen::Map<const Eigen::Vector3d>(body.axis).dot(
          F.row(i).segment<3>(first));
    }
    EXPECT_LT(RelativeError(projected, tau, F.norm()), tolerance()) << s.name;
    // Twin: friction is not in the wrenches.
    rubbing += RelativeError(projected, is[Output::kTau]) > 1e-4;
  }
  EXPECT_GT(rubbing, 30);
}

TEST_P(Laws, BaseCarriesTheWeightOfARobotAtRest) {
  for (Setting s : Settings()) {
    s.inputs.erase(kV), s.inputs.erase(kA);
    const double m = s.model->moving_mass();
    const VectorXd W = Of(s, {kBaseWrench})[Output::kBaseWrench];
    const Eigen::Vector3d weight = -m * Eigen::Vector3d(1.5, -2.5, -9);
    EXPECT_LT(RelativeError(W.tail<3>(), weight), tolerance()) << s.name;
  }
}

TEST_P(Laws, WrenchesEnterByTheTransposedJacobians) {
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    const Setting s = Surrounded(plain, seed++);
    Setting without = s;
    without.inputs.erase(Input::kTipWrench);
    without.inputs.erase(Input::kExternalWrenches);
    without.options.external_wrenches.clear();
    const auto jacobian = [&](const std::string& frame, ReferenceFrame axes) {
      Setting at = plain;
      at.options.tip_frame = frame;
      at.options.reference_frame = axes;
      return Of(at, {kJacobian}).Matrix(Output::kJacobian, 6);
    };
    VectorXd expected =
        jacobian("", s.options.wrench_frame).transpose() * s[Input::kTipWrench];
    for (int k = 0; k < 3; ++k) {
      const ExternalWrenchOptions& place = s.options.external_wrenches[k];
      expected -= jacobian(place.frame, place.reference_frame).transpose() *
                  s[Input::kExternalWrenches].segment<6>(6 * k);
    }
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau],
                   free = Of(without, {kInverseDynamics})[Output::kTau];
    const double size = tau.norm() + free.norm() + expected.norm();
    EXPECT_LT(RelativeError(tau - free, expected, size), tolerance()) << s.name;
    EXPECT_GT(RelativeError(free - tau, expected), 0.1) << s.name;
    EXPECT_EQ(Of(s, {kBiasForces, kForwardDynamics})[Output::kBias],
              Of(without, {kBiasForces, kForwardDynamics})[Output::kBias]);
  }
}

TEST_P(Laws, WrenchesOnTheBaseMoveNothing) {
  for (Setting s : Settings()) {
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
    s.options.external_wrenches = {{s.model->frames()[0].name}};
    s[Input::kExternalWrenches] = VectorXd::Ones(6);
    EXPECT_EQ(Of(s, {kInverseDynamics})[Output::kTau], tau) << s.name;
  }
}

TEST_P(Laws, ForwardOfInverseIsIdentity) {
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    Setting s = Surrounded(plain, seed++);
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
    s[kTau] = tau;
    const Answers is =
        Of(s, {kForwardDynamics, kMassMatrix, kMassMatrixInverse});
    const double condition =
        ConditionNumber(is.Matrix(Output::kMassMatrix, s.n()));
    const double size =
        tau.norm() * is.Matrix(Output::kMassMatrixInverse, s.n()).norm();
    EXPECT_LT(RelativeError(is[Output::kAcceleration], s[kA], size),
              0.5 * tolerance() * condition)
        << s.name;
    // Twin: another torque is another acceleration.
    s[kTau] *= 1.01;
    EXPECT_GT(
        RelativeError(Of(s, {kForwardDynamics})[Output::kAcceleration], s[kA]),
        1e-6)
        << s.name;
  }
}

TEST_P(Laws, ForwardDynamicsMovesTheTip) {
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    const Setting s = Surrounded(plain, seed++);
    const Answers is =
        Of(s, {kForwardDynamics, kForwardFrameAcceleration, kJacobian,
               kJacobianDrift, kMassMatrix, kMassMatrixInverse});
    const RowMajor J = is.Matrix(Output::kJacobian, 6);
    const VectorXd a = is[Output::kAcceleration];
    EXPECT_LT(
        RelativeError(is[Output::kForwardFrameAcceleration],
                      J * a + is[Output::kJacobianDrift], J.norm() * a.norm()),
        10 * tolerance())
        << s.name;
  }
}

TEST_P(Laws, InverseOfTheMassMatrixIsOne) {
  for (const Setting& s : Settings()) {
    const Answers is =
        Of(s, {kMassMatrix, kMassMatrixInverse, kForwardDynamicsDerivatives});
    const int n = s.n();
    const RowMajor M = is.Matrix(Output::kMassMatrix, n),
                   inverse = is.Matrix(Output::kMassMatrixInverse, n);
    EXPECT_EQ(inverse, inverse.transpose());
    EXPECT_LT(RelativeError(M * inverse, RowMajor::Identity(n, n)),
              tolerance() * ConditionNumber(M))
        << s.name;
    EXPECT_EQ(is.Matrix(Output::kAccelerationByTau, n), inverse) << s.name;
  }
}

TEST_P(Laws, DerivativesOfForwardDynamicsFollowFromThoseOfTorques) {
  // ∂a/∂q = −M⁻¹ ∂τ/∂q at the acceleration that the torques give.
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    Setting s = Surrounded(plain, seed++);
    const int n = s.n();
    const Answers forward =
        Of(s, {kForwardDynamics, kForwardDynamicsDerivatives, kMassMatrix});
    s[kA] = forward[Output::kAcceleration];
    const Answers inverse = Of(s, {kInverseDynamicsDerivatives});
    const RowMajor M_inverse = forward.Matrix(Output::kAccelerationByTau, n);
    const double condition =
        ConditionNumber(forward.Matrix(Output::kMassMatrix, n));
    for (const auto& [of_a, of_tau] :
         {std::pair(Output::kAccelerationByQ, Output::kTauByQ),
          std::pair(Output::kAccelerationByV, Output::kTauByV)}) {
      const RowMajor by = inverse.Matrix(of_tau, n);
      EXPECT_LT(RelativeError(forward.Matrix(of_a, n), -M_inverse * by,
                              M_inverse.norm() * (1 + by.norm())),
                tolerance() * condition)
          << s.name;
    }
  }
}

TEST_P(Laws, GravityTorquesHaveASymmetricGradient) {
  // At rest τ = ∂P/∂q, whose derivative is a Hessian.
  for (Setting s : Settings()) {
    s.inputs.erase(kV), s.inputs.erase(kA);
    const Answers is = Of(s, {kInverseDynamicsDerivatives, kJointWrenches});
    const RowMajor by_q = is.Matrix(Output::kTauByQ, s.n());
    EXPECT_LT(RelativeError(by_q, by_q.transpose(),
                            is[Output::kJointWrenches].norm()),
              tolerance())
        << s.name;
  }
}

TEST_P(Laws, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kMassMatrix, kEnergy});
    const VectorXd& v = s[kV];
    const double K = is[Output::kKineticEnergy][0];
    EXPECT_NEAR(K, v.dot(is.Matrix(Output::kMassMatrix, s.n()) * v) / 2,
                tolerance() * K)
        << s.name;
  }
}

TEST_P(Laws, EnergiesGrowByWhatForcesDo) {
  // Ṗ = gᵀ v, K̇ = vᵀ (M a + ½ Ṁ v), and both are the sum of all powers.
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    const Answers still = Of(
        plain, {kPowerBalance, kGravityForces, kMassMatrix, kMassMatrixRate});
    const VectorXd &v = plain[kV], power = still[Output::kPowerBalance];
    const double size = 1 + power.cwiseAbs().sum();
    EXPECT_NEAR(power[1], still[Output::kGravity].dot(v), tolerance() * size);
    EXPECT_NEAR(power[0],
                v.dot(still.Matrix(Output::kMassMatrix, plain.n()) * plain[kA] +
                      still.Matrix(Output::kMassMatrixRate, plain.n()) * v / 2),
                10 * tolerance() * size)
        << plain.name;
    const Setting s = Surrounded(plain, seed++);
    const VectorXd all = Of(s, {kPowerBalance})[Output::kPowerBalance];
    const double whole = 1 + all.cwiseAbs().sum();
    EXPECT_NEAR(all.head(2).sum(), all.tail(6).sum(), tolerance() * whole)
        << s.name;
    // Friction takes; without any of the shares it does not come out.
    EXPECT_LE(all[3], 0);
    EXPECT_LE(all[4], 0);
    for (int k = 0; k < 8; ++k) {
      if (std::abs(all[k]) < 1e-3 * whole) continue;
      EXPECT_GT(std::abs(all.head(2).sum() - all.tail(6).sum() -
                         (k < 2 ? all[k] : -all[k])),
                1e-4 * whole);
    }
  }
}

TEST_P(Laws, NothingWorksOnARobotAtRest) {
  for (std::uint64_t seed = 0; const Setting& plain : Settings()) {
    Setting s = Surrounded(plain, seed++);
    s.inputs.erase(kV), s.inputs.erase(Input::kBaseTwist);
    EXPECT_EQ(Of(s, {kPowerBalance})[Output::kPowerBalance].norm(), 0)
        << s.name;
  }
}

TEST_P(Laws, GravityIsAnAccelerationOfTheBase) {
  // Of a state it is that of the options bit by bit; as an acceleration of the
  // base it makes the same torques, but is a motion.
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kInverseDynamics, kEnergy, kJacobianDrift});
    const std::array<double, 3> g = *s.options.terms.gravity;
    Setting own =
        s.With(Input::kGravity, Eigen::Map<const VectorXd>(g.data(), 3));
    own.options.terms.gravity = {0, 0, 0};
    const Answers of_state = Of(own, {kInverseDynamics, kEnergy});
    EXPECT_EQ(of_state[Output::kTau], is[Output::kTau]) << s.name;
    EXPECT_EQ(of_state[Output::kPotentialEnergy], is[Output::kPotentialEnergy]);
    VectorXd up = VectorXd::Zero(6);
    for (int k = 0; k < 3; ++k) up[3 + k] = -g[static_cast<std::size_t>(k)];
    Setting lifted = s.With(Input::kBaseAcceleration, up);
    lifted.options.terms.gravity = {0, 0, 0};
    const Answers moved = Of(lifted, {kInverseDynamics, kJacobianDrift});
    EXPECT_LT(RelativeError(moved[Output::kTau], is[Output::kTau], 1),
              tolerance())
        << s.name;
    EXPECT_GT(
        (moved[Output::kJacobianDrift] - is[Output::kJacobianDrift]).norm(), 9);
  }
}

}  // namespace
}  // namespace torqued::testing_support
