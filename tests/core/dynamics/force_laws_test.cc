// Laws of the equation of motion: M, C, g, friction, wrenches, energy and what
// is solved with M.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tests/core/dynamics/robots.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;
using enum Quantity;

constexpr Input kV = Input::kV, kA = Input::kA, kTau = Input::kTau;
const Eigen::Vector3d kGravity(1.5, -2.5, -9);  // of all settings

bool OnOneBranch(const Setting& s, int i, int j) {
  const Tree tree = s.model->tree();
  int low = std::max(i, j);
  while (low > std::min(i, j)) low = tree.bodies[low].parent;
  return low == std::min(i, j);
}

/// What acts between the two bodies of a joint.
VectorXd Rotors(const Setting& s) {
  VectorXd rotors = s[kA];
  for (int i = 0; i < s.n(); ++i)
    rotors[i] *= s.model->tree().bodies[i].armature;
  return rotors;
}

Setting WithoutGravity(Setting s) {
  s.options.terms.gravity = {0, 0, 0};
  return s;
}

Setting AtRest(Setting s) {
  s.inputs.erase(kV), s.inputs.erase(kA), s.inputs.erase(Input::kBaseTwist);
  return s;
}

Setting WithFriction(Setting s, bool on = true) {
  s.options.terms.viscous_friction = s.options.terms.coulomb_friction = on;
  return s;
}

/// Calls check(setting) with the base on its way, gravity of its own, friction
/// and wrenches on the tip and on three frames.
template <class Check>
void ForSurrounded(const Check& check) {
  for (std::uint64_t seed = 0; Setting s : Settings()) {
    SCOPED_TRACE(s.name);
    Random random(seed);
    s[Input::kBaseTwist] = random.Vector(6, -1, 1);
    s[Input::kBaseAcceleration] = random.Vector(6, -3, 3);
    s[Input::kGravity] = random.Vector(3, -9, 9);
    s[Input::kTipWrench] = random.Vector(6, -20, 20);
    s.options.wrench_frame = kReferenceFrames[seed++ % 3];
    const auto frames = s.model->frames();
    for (const ReferenceFrame frame : kReferenceFrames) {
      const int at = random.Index(static_cast<int>(frames.size()));
      s.options.external_wrenches.push_back({frames[at].name, frame});
    }
    s[Input::kExternalWrenches] = random.Vector(18, -20, 20);
    check(WithFriction(std::move(s)));
  }
}

TEST_P(Laws, MassMatrixIsPositiveAndMadeOfTorquesOfUnitAccelerations) {
  ForAll([](Setting s) {
    const RowMajor M = Of(s, {kMassMatrix}).Matrix(Output::kMassMatrix);
    EXPECT_EQ(M, M.transpose());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<RowMajor>(M).eigenvalues()[0], 0);
    s = WithoutGravity(s);
    s.inputs.erase(kV);
    for (int j = 0; j < s.n(); ++j) {
      s[kA] = VectorXd::Unit(s.n(), j);
      const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
      EXPECT_SAME(tau, M.col(j), M.norm());
      EXPECT_GT(RelativeError(tau, 1.01 * M.col(j), M.norm()), 1e-8);
    }
  });
}

TEST_P(Laws, TorqueIsInertiaBiasAndFriction) {
  // τ = M a + C v + g + F_v v + F_s sgn v, by the Coriolis matrix and by the
  // symbols c_ijk, which are symmetric in j and k.
  int skew = 0;
  ForAll([&](const Setting& s) {
    const Answers is =
        Of(s, {kInverseDynamics, kMassMatrix, kBiasForces, kGravityForces,
               kCoriolisForces, kCoriolisMatrix, kChristoffelSymbols});
    const int n = s.n();
    const RowMajor M = is.Matrix(Output::kMassMatrix),
                   C = is.Matrix(Output::kCoriolisMatrix);
    const VectorXd g = is[Output::kGravity], c = is[Output::kCoriolis],
                   tau = is[Output::kTau];
    const double size = 1 + tau.norm() + g.norm() + c.norm();
    EXPECT_SAME(C * s[kV], c, size);
    EXPECT_SAME(is[Output::kBias], c + g, size);
    EXPECT_SAME(tau, M * s[kA] + c + g, size);
    const RowMajor symbols = is.Matrix(Output::kChristoffel, n * n);
    const RowMajor sum =
        (symbols * s[kV]).reshaped<Eigen::RowMajor>(n, n).eval();
    EXPECT_SAME(sum, C, M.norm());
    for (int i = 0; i < n; ++i) {
      const RowMajor of_i = symbols.middleRows(i * n, n);
      EXPECT_EQ(of_i, of_i.transpose());
    }
    // Coulomb friction jumps, or it is a hyperbolic tangent.
    Setting rubbing = WithFriction(s);
    for (const double smoothing : {0.0, 0.5}) {
      rubbing.options.terms.coulomb_smoothing = smoothing;
      VectorXd friction(n);
      for (const Joint& joint : s.model->joints()) {
        const double v = s[kV][joint.v_index];
        friction[joint.v_index] =
            joint.damping * v +
            joint.friction * (smoothing == 0 ? std::copysign(1, v)
                                             : std::tanh(v / smoothing));
      }
      EXPECT_SAME(Of(rubbing, {kInverseDynamics})[Output::kTau] - tau, friction,
                  size);
    }
    // Twins.
    skew += RelativeError(C.transpose() * s[kV], c, 1e-3) > 1e-6;
    EXPECT_GT(RelativeError(tau, M * s[kA] + c, 1), 1e-5);
  });
  EXPECT_GT(skew, 30);
}

TEST_P(Laws, CentrifugalAndCoriolisForcesAreQuadraticInTheVelocities) {
  // c_i = Σ Γ_ijk v_j v_k, so that c(2v) = 4 c(v).
  ForAll([](const Setting& s) {
    const int n = s.n();
    const Answers is = Of(s, {kCoriolisForces, kChristoffelSymbols});
    const RowMajor symbols = is.Matrix(Output::kChristoffel, n * n);
    const VectorXd c = is[Output::kCoriolis], &v = s[kV];
    VectorXd sum(n);
    for (int i = 0; i < n; ++i) {
      sum[i] = v.dot(symbols.middleRows(i * n, n) * v);
    }
    const double size = 1 + symbols.norm() * v.squaredNorm();
    EXPECT_SAME(sum, c, size);
    const VectorXd twice =
        Of(s.With(kV, 2 * v), {kCoriolisForces})[Output::kCoriolis];
    EXPECT_SAME(twice, 4 * c, 4 * size);
    if (c.norm() < 1e-3) return;
    EXPECT_GT(RelativeError(twice, 2 * c), 0.1);
  });
}

TEST_P(Laws, RateOfTheMassMatrixIsTheCoriolisMatrixAndItsTransposed) {
  // So that Ṁ − 2C is skew, and rotors have no part in it.
  ForAll([](const Setting& s) {
    const Answers is = Of(s, {kCoriolisMatrix, kMassMatrixRate});
    const RowMajor C = is.Matrix(Output::kCoriolisMatrix),
                   rate = is.Matrix(Output::kMassMatrixRate);
    EXPECT_EQ(rate, rate.transpose());
    EXPECT_SAME(rate, C + C.transpose(), 1e-3);
    if (s.n() == 1 || rate.norm() < 1e-3) return;
    EXPECT_GT(RelativeError(rate, 2 * C, 1e-3), 1e-6);
  });
}

TEST_P(Laws, JointsOnDifferentBranchesDoNotFeelEachOther) {
  int pairs = 0;
  ForAll([&](const Setting& s) {
    const Answers is = Of(s, {kMassMatrix, kCoriolisMatrix, kMassMatrixRate,
                              kRegressor, kInverseDynamicsDerivatives});
    const RowMajor Y = is.Matrix(Output::kRegressor);
    for (int i = 0; i < s.n(); ++i) {
      for (int j = 0; j < s.n(); ++j) {
        if (OnOneBranch(s, i, j)) continue;
        ++pairs;
        for (const Output output :
             {Output::kMassMatrix, Output::kCoriolisMatrix,
              Output::kMassMatrixRate, Output::kTauByQ, Output::kTauByV}) {
          EXPECT_EQ(is.Matrix(output)(i, j), 0);
        }
        EXPECT_EQ(Y.row(i).segment(10 * j, 10).norm(), 0);
      }
    }
  });
  EXPECT_GT(pairs, 100);
}

TEST_P(Laws, TorquesAreLinearInTheInertialParameters) {
  ForAll([](const Setting& s) {
    const Answers is = Of(s, {kRegressor, kInverseDynamics});
    VectorXd theta(10 * s.n());
    for (int i = 0; i < s.n(); ++i) {
      const TreeBody& b = s.model->tree().bodies[i];
      theta.segment<10>(10 * i) << b.mass, b.h[0], b.h[1], b.h[2], b.I[0],
          b.I[1], b.I[3], b.I[2], b.I[4], b.I[5];
    }
    const RowMajor Y = is.Matrix(Output::kRegressor);
    const VectorXd tau = is[Output::kTau] - Rotors(s);
    EXPECT_LT(RelativeError(Y * theta, tau, 1), 10 * tolerance());
    theta.tail(10) *= 1.1;
    EXPECT_GT(RelativeError(Y * theta, tau), 1e-6);
  });
}

TEST_P(Laws, JointWrenchesProjectOnTheAxesToTheTorques) {
  int rubbing = 0;
  ForSurrounded([&](const Setting& s) {
    const Answers is = Of(s, {kJointWrenches, kInverseDynamics});
    const VectorXd tau =
        Of(WithFriction(s, false), {kInverseDynamics})[Output::kTau];
    const RowMajor F = is.Matrix(Output::kJointWrenches);
    VectorXd projected(s.n());
    for (int i = 0; i < s.n(); ++i) {
      const TreeBody& body = s.model->tree().bodies[i];
      const int first = body.motion == JointMotion::kRevolute ? 0 : 3;
      projected[i] = Eigen::Map<const Eigen::Vector3d>(body.axis).dot(
          F.row(i).segment<3>(first));
    }
    EXPECT_SAME(projected, tau - Rotors(s), F.norm());
    // Twin: friction is not in the wrenches.
    rubbing += RelativeError(projected, is[Output::kTau]) > 1e-4;
  });
  EXPECT_GT(rubbing, 30);
}

TEST_P(Laws, RobotsAtRestFeelTheirWeight) {
  // The base carries it; τ = ∂P/∂q, whose derivative is a Hessian.
  ForAll([](const Setting& s) {
    const Answers is = Of(
        AtRest(s), {kBaseWrench, kInverseDynamicsDerivatives, kJointWrenches});
    EXPECT_SAME(is[Output::kBaseWrench].tail<3>(),
                -s.model->moving_mass() * kGravity);
    const RowMajor dtau_dq = is.Matrix(Output::kTauByQ);
    EXPECT_SAME(dtau_dq, dtau_dq.transpose(),
                is[Output::kJointWrenches].norm());
  });
}

TEST_P(Laws, WrenchesEnterByTheTransposedJacobians) {
  ForSurrounded([](const Setting& s) {
    Setting without = s;
    without.inputs.erase(Input::kTipWrench);
    without.inputs.erase(Input::kExternalWrenches);
    without.options.external_wrenches.clear();
    const auto transposed = [&](const std::string& frame, ReferenceFrame axes) {
      Setting at{s.name, s.model, {}, {{Input::kQ, s[Input::kQ]}}};
      at.options.tip_frame = frame;
      at.options.reference_frame = axes;
      return RowMajor(
          Of(at, {kJacobian}).Matrix(Output::kJacobian, 6).transpose());
    };
    VectorXd expected =
        transposed("", s.options.wrench_frame) * s[Input::kTipWrench];
    for (int k = 0; k < 3; ++k) {
      const ExternalWrenchOptions& place = s.options.external_wrenches[k];
      expected -= transposed(place.frame, place.reference_frame) *
                  s[Input::kExternalWrenches].segment<6>(6 * k);
    }
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau],
                   free = Of(without, {kInverseDynamics})[Output::kTau];
    const double size = tau.norm() + free.norm() + expected.norm();
    EXPECT_SAME(tau - free, expected, size);
    EXPECT_GT(RelativeError(free - tau, expected), 0.1);
    EXPECT_EQ(Of(s, {kBiasForces, kForwardDynamics})[Output::kBias],
              Of(without, {kBiasForces, kForwardDynamics})[Output::kBias]);
    // On the base they move nothing.
    Setting on_base = without;
    on_base.options.external_wrenches = {{s.model->frames()[0].name}};
    on_base[Input::kExternalWrenches] = VectorXd::Ones(6);
    EXPECT_EQ(Of(on_base, {kInverseDynamics})[Output::kTau], free);
  });
}

TEST_P(Laws, ForwardOfInverseIsIdentity) {
  ForSurrounded([](Setting s) {
    const VectorXd tau = s[kTau] = Of(s, {kInverseDynamics})[Output::kTau];
    const Answers is =
        Of(s, {kForwardDynamics, kForwardFrameAcceleration, kJacobian,
               kJacobianDrift, kMassMatrix, kMassMatrixInverse});
    const RowMajor J = is.Matrix(Output::kJacobian, 6);
    const VectorXd a = is[Output::kAcceleration];
    const double condition = ConditionNumber(is.Matrix(Output::kMassMatrix));
    const double size =
        tau.norm() * is.Matrix(Output::kMassMatrixInverse).norm();
    EXPECT_LT(RelativeError(a, s[kA], size), 0.5 * tolerance() * condition);
    // The tip moves with them.
    EXPECT_LT(
        RelativeError(is[Output::kForwardFrameAcceleration],
                      J * a + is[Output::kJacobianDrift], J.norm() * a.norm()),
        10 * tolerance());
    // Twin: another torque is another acceleration.
    s[kTau] *= 1.01;
    EXPECT_GT(
        RelativeError(Of(s, {kForwardDynamics})[Output::kAcceleration], s[kA]),
        1e-6);
  });
}

TEST_P(Laws, DerivativesOfForwardDynamicsFollowFromThoseOfTorques) {
  // ∂a/∂τ = M⁻¹, and ∂a/∂q = −M⁻¹ ∂τ/∂q at the acceleration of the torques.
  ForSurrounded([](Setting s) {
    const Answers forward =
        Of(s, {kForwardDynamics, kForwardDynamicsDerivatives, kMassMatrix,
               kMassMatrixInverse});
    s[kA] = forward[Output::kAcceleration];
    const Answers by = Of(s, {kInverseDynamicsDerivatives});
    const RowMajor M = forward.Matrix(Output::kMassMatrix),
                   inverse = forward.Matrix(Output::kMassMatrixInverse);
    const double bound = tolerance() * ConditionNumber(M);
    EXPECT_EQ(inverse, inverse.transpose());
    EXPECT_EQ(forward.Matrix(Output::kAccelerationByTau), inverse);
    EXPECT_LT(RelativeError(M * inverse, RowMajor::Identity(s.n(), s.n())),
              bound);
    for (const auto& [of_a, of_tau] :
         {std::pair(Output::kAccelerationByQ, Output::kTauByQ),
          std::pair(Output::kAccelerationByV, Output::kTauByV)}) {
      EXPECT_LT(
          RelativeError(forward.Matrix(of_a), -inverse * by.Matrix(of_tau),
                        inverse.norm() * (1 + by.Matrix(of_tau).norm())),
          bound);
    }
  });
}

TEST_P(Laws, EnergiesGrowByWhatForcesDo) {
  // K = ½ vᵀ M v, Ṗ = gᵀ v and K̇ = vᵀ (M a + ½ Ṁ v).
  ForAll([](const Setting& s) {
    const Answers is = Of(s, {kEnergy, kPowerBalance, kGravityForces,
                              kMassMatrix, kMassMatrixRate});
    const RowMajor M = is.Matrix(Output::kMassMatrix),
                   rate = is.Matrix(Output::kMassMatrixRate);
    const VectorXd &v = s[kV], power = is[Output::kPowerBalance];
    const double size = 1 + power.cwiseAbs().sum(),
                 K = is[Output::kKineticEnergy][0];
    EXPECT_NEAR(K, v.dot(M * v) / 2, tolerance() * K);
    EXPECT_NEAR(power[1], is[Output::kGravity].dot(v), tolerance() * size);
    EXPECT_NEAR(power[0], v.dot(M * s[kA] + rate * v / 2),
                10 * tolerance() * size);
  });
  // Both are the sum of all powers.
  ForSurrounded([](const Setting& s) {
    const VectorXd all = Of(s, {kPowerBalance})[Output::kPowerBalance];
    const double whole = 1 + all.cwiseAbs().sum();
    const double rest = all.head(2).sum() - all.tail(6).sum();
    EXPECT_LT(std::abs(rest), tolerance() * whole);
    // Friction takes; without any of the shares it does not come out.
    EXPECT_LE(all[3], 0);
    EXPECT_LE(all[4], 0);
    for (int k = 0; k < 8; ++k) {
      if (std::abs(all[k]) < 1e-3 * whole) continue;
      EXPECT_GT(std::abs(rest - (k < 2 ? all[k] : -all[k])), 1e-4 * whole);
    }
    // Nothing works on a robot at rest.
    EXPECT_EQ(
        Of(AtRest(s).With(kA, s[kA]), {kPowerBalance})[Output::kPowerBalance]
            .norm(),
        0);
  });
}

TEST_P(Laws, GravityIsAnAccelerationOfTheBase) {
  // Of a state it is that of the options bit by bit; as an acceleration of the
  // base it makes the same torques, but is a motion.
  ForAll([](const Setting& s) {
    const Answers is = Of(s, {kInverseDynamics, kEnergy, kJacobianDrift});
    const Answers of_state =
        Of(WithoutGravity(s).With(Input::kGravity, kGravity),
           {kInverseDynamics, kEnergy});
    EXPECT_EQ(of_state[Output::kTau], is[Output::kTau]);
    EXPECT_EQ(of_state[Output::kPotentialEnergy], is[Output::kPotentialEnergy]);
    VectorXd up = VectorXd::Zero(6);
    up.tail(3) = -kGravity;
    const Answers moved =
        Of(WithoutGravity(s).With(Input::kBaseAcceleration, up),
           {kInverseDynamics, kJacobianDrift});
    EXPECT_SAME(moved[Output::kTau], is[Output::kTau], 1);
    EXPECT_GT(
        (moved[Output::kJacobianDrift] - is[Output::kJacobianDrift]).norm(), 9);
  });
}

}  // namespace
}  // namespace torqued::testing_support
