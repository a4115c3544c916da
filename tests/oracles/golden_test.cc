// Our results against golden vectors of published robots, computed by
// Pinocchio 3.7. They are not part of the repository: see TORQUED_SHARED_DIR.
//
// Errors are relative to the largest entry of a result; those of quantities
// that solve with a matrix are also divided by its condition number. The
// bounds are below ten times the largest error seen.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/batch/robot.h"
#include "core/dynamics/forward_derivatives-inl.h"
#include "core/dynamics/kinematics.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct FrameName {
  ReferenceFrame frame;
  const char* name;  // in the data
};
constexpr FrameName kFrames[] = {{ReferenceFrame::kLocal, "local"},
                                 {ReferenceFrame::kLocalWorldAligned, "lwa"},
                                 {ReferenceFrame::kWorld, "world"}};

class GoldenTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
    const std::string name = GetParam();
    data_ = ReadSharedJson("golden/" + name + ".json");
    model_ = LoadModel(ReadSharedText("robots/" + name + ".urdf"),
                       data_.at("tip_frame"));
    ASSERT_NE(model_, nullptr);
  }

  Robot MakeRobot(ReferenceFrame frame = ReferenceFrame::kLocal) const {
    Robot::Options options;
    const VectorXd gravity = ToVector(data_.at("gravity"));
    options.terms.gravity = {gravity[0], gravity[1], gravity[2]};
    options.reference_frame = frame;
    return Robot(model_, options);
  }

  /// Calls `compare(sample, where)` for every sample.
  template <typename Compare>
  void ForSamples(Compare compare) const {
    int i = 0;
    for (const auto& sample : data_.at("samples")) {
      compare(sample, "sample " + std::to_string(i++));
    }
    ASSERT_GT(i, 0);
  }

  nlohmann::json data_;
  std::shared_ptr<const Model> model_;
};

INSTANTIATE_TEST_SUITE_P(Robots, GoldenTest,
                         ::testing::Values("ur5_robot", "panda", "z1",
                                           "double_pendulum",
                                           "allegro_right_hand"),
                         [](const auto& robot) {
                           return std::string(robot.param);
                         });

TEST_P(GoldenTest, JointsStandInTheSameOrderWithTheSameLimits) {
  const auto& joints = data_.at("joints");
  ASSERT_EQ(model_->joints().size(), joints.size());
  EXPECT_EQ(model_->nq(), data_.at("nq"));
  EXPECT_EQ(model_->nv(), data_.at("nv"));
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto& theirs = joints[i];
    const Joint& ours = model_->joints()[i];
    EXPECT_EQ(ours.name, theirs.at("name").get<std::string>());
    EXPECT_EQ(ours.q_index, theirs.at("idx_q"));
    EXPECT_EQ(ours.v_index, theirs.at("idx_v"));
    // Theirs count from 1, the base being 0.
    EXPECT_EQ(ours.parent + 1, theirs.at("parent_index")) << ours.name;
    const VectorXd axis = ToVector(theirs.at("axis"));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(ours.axis[k], axis[k]) << ours.name;
    EXPECT_EQ(ours.limits.lower, theirs.at("lower").get<double>()) << ours.name;
    EXPECT_EQ(ours.limits.upper, theirs.at("upper").get<double>()) << ours.name;
  }
}

Eigen::Matrix3d Symmetric(const double* I) {
  Eigen::Matrix3d matrix;
  matrix << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  return matrix;
}

/// About the origin, of a body with this inertia about its centre of mass.
Eigen::Matrix3d AboutOrigin(const Eigen::Matrix3d& about_com, double mass,
                            const Eigen::Vector3d& com) {
  return about_com + mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() -
                             com * com.transpose());
}

TEST_P(GoldenTest, BodiesHaveTheSameInertiaAndPlacement) {
  LargestErrors errors;
  const Tree tree = model_->tree();
  const auto& joints = data_.at("joints");
  ASSERT_EQ(tree.n, static_cast<int>(joints.size()));
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const auto& theirs = joints[i];
    const std::string name = theirs.at("name");
    const double mass = theirs.at("mass");
    const Eigen::Vector3d com = ToVector(theirs.at("com"));
    const Eigen::Matrix3d about_com = ToMatrix(theirs.at("inertia_com"));
    const Eigen::Matrix3d I = AboutOrigin(about_com, mass, com);
    EXPECT_NEAR(body.mass, mass, 2e-16 * mass) << name;
    errors.Add("first moment",
               RelativeError(Eigen::Map<const Eigen::Vector3d>(body.h),
                             mass * com, mass * 1e-2),
               name);
    errors.Add("inertia", RelativeError(Symmetric(body.I), I), name);
    errors.Add(
        "rotation",
        RelativeError(
            Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
                body.R),
            ToMatrix(theirs.at("placement_R"))),
        name);
    errors.Add("position",
               RelativeError(Eigen::Map<const Eigen::Vector3d>(body.p),
                             ToVector(theirs.at("placement_p")), 1e-2),
               name);
    if (com.norm() > 1e-3) {
      errors.Add("inertia about another point",
                 RelativeError(Symmetric(body.I), about_com), name);
    }
  }
  const Frame& tip = model_->frames()[*model_->tip_frame()];
  const auto& placement = data_.at("tip_placement_in_parent_joint");
  errors.Add("rotation",
             RelativeError(
                 Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
                     tip.placement.R),
                 ToMatrix(placement.at("R"))),
             "tip");
  errors.Add("position",
             RelativeError(Eigen::Map<const Eigen::Vector3d>(tip.placement.p),
                           ToVector(placement.at("p")), 1e-2),
             "tip");
  errors.ExpectBelow("first moment", 2e-15);
  errors.ExpectBelow("inertia", 2e-15);
  errors.ExpectBelow("rotation", 1e-15);
  // They are the same here; another reader may round once.
  errors.ExpectBelow("position", 4e-16);
  errors.ExpectAbove("inertia about another point", 1e-6);
}

TEST_P(GoldenTest, JointTorquesEqual) {
  LargestErrors errors;
  Robot robot = MakeRobot();
  Robot world_aligned = MakeRobot(ReferenceFrame::kLocalWorldAligned);
  const VectorXd zero = VectorXd::Zero(model_->nv());
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const VectorXd q = ToVector(sample.at("q"));
    const VectorXd v = ToVector(sample.at("v"));
    const VectorXd a = ToVector(sample.at("a"));
    // Theirs acts on the robot.
    const VectorXd wrench = -ToVector(sample.at("wrench"));
    const auto add = [&](const char* quantity, const VectorXd& ours,
                         const char* field) {
      errors.Add(quantity, RelativeError(ours, ToVector(sample.at(field))),
                 where);
    };
    add("inverse dynamics", robot.InverseDynamics(q, v, a), "tau_id");
    add("bias", robot.BiasForces(q, v), "nle");
    add("gravity torque", robot.BiasForces(q, zero), "gravity_torque");
    add("with a wrench", robot.InverseDynamics(q, v, a, wrench),
        "tau_id_wrench_local");
    add("with a world-aligned wrench",
        world_aligned.InverseDynamics(q, v, a, wrench), "tau_id_wrench_lwa");
    add("with the wrench of the other sign",
        robot.InverseDynamics(q, v, a, -wrench), "tau_id_wrench_local");
    add("with the wrench in other axes",
        world_aligned.InverseDynamics(q, v, a, wrench), "tau_id_wrench_local");
    add("bias at rest", robot.BiasForces(q, zero), "nle");
  });
  for (const char* quantity :
       {"inverse dynamics", "bias", "gravity torque", "with a wrench",
        "with a world-aligned wrench"}) {
    errors.ExpectBelow(quantity, 6e-15);
  }
  errors.ExpectAbove("with the wrench of the other sign", 1e-3);
  errors.ExpectAbove("with the wrench in other axes", 1e-3);
  errors.ExpectAbove("bias at rest", 1e-4);
}

TEST_P(GoldenTest, MassMatrixAndForwardDynamicsEqual) {
  LargestErrors errors;
  Robot robot = MakeRobot();
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const VectorXd q = ToVector(sample.at("q"));
    const VectorXd v = ToVector(sample.at("v"));
    const VectorXd tau = ToVector(sample.at("tau"));
    const VectorXd wrench = -ToVector(sample.at("wrench"));
    const MatrixXd M = ToMatrix(sample.at("M"));
    const VectorXd pushed = ToVector(sample.at("qdd_fd_wrench_local"));
    const double condition = ConditionNumber(M);
    errors.Add("mass matrix", RelativeError(robot.MassMatrix(q), M), where);
    errors.Add("forward dynamics / cond M",
               RelativeError(robot.ForwardDynamics(q, v, tau),
                             ToVector(sample.at("qdd_fd"))) /
                   condition,
               where);
    errors.Add("forward dynamics with a wrench / cond M",
               RelativeError(robot.ForwardDynamics(q, v, tau, wrench), pushed) /
                   condition,
               where);
    errors.Add("forward dynamics with the wrench of the other sign",
               RelativeError(robot.ForwardDynamics(q, v, tau, -wrench), pushed),
               where);
    const VectorXd other = q.array() + 0.1;
    errors.Add("mass matrix at another state",
               RelativeError(robot.MassMatrix(other), M), where);
  });
  errors.ExpectBelow("mass matrix", 8e-15);
  errors.ExpectBelow("forward dynamics / cond M", 5e-16);
  errors.ExpectBelow("forward dynamics with a wrench / cond M", 5e-16);
  errors.ExpectAbove("forward dynamics with the wrench of the other sign",
                     1e-3);
  errors.ExpectAbove("mass matrix at another state", 1e-5);
}

TEST_P(GoldenTest, DerivativesEqual) {
  using RowMajorXd =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  LargestErrors errors;
  Robot robot = MakeRobot();
  const Tree tree = model_->tree();
  const int n = tree.n;
  const VectorXd g = ToVector(data_.at("gravity"));
  const DynamicsTerms terms = {{g[0], g[1], g[2]}, false, false, false};
  Workspace<double> workspace(n);
  RneaDerivativesScratch<double> inverse{};
  ForwardDerivativesScratch<double> forward{};
  const auto carve = [&](Carver carver) {
    CarveRneaDerivatives(static_cast<unsigned long>(n), carver, inverse);
    CarveForwardDerivatives(static_cast<unsigned long>(n), carver, forward);
    return carver.used();
  };
  std::vector<double> memory(carve(Carver(nullptr)) / sizeof(double));
  carve(Carver(memory.data()));
  RowMajorXd dq(n, n), dv(n, n), last(n, n);
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const VectorXd q = ToVector(sample.at("q"));
    const VectorXd v = ToVector(sample.at("v"));
    const VectorXd a = ToVector(sample.at("a"));
    const MatrixXd M = ToMatrix(sample.at("M"));
    const double scale = M.cwiseAbs().maxCoeff();
    const double condition = ConditionNumber(M);
    ComputePlacements(tree, q.data(), workspace.scratch());
    ComputeWorldPlacements(tree, workspace.scratch());
    InverseDynamicsDerivatives(tree, terms, v.data(), a.data(),
                               workspace.scratch(), inverse, dq.data(),
                               dv.data(), last.data());
    errors.Add("dtau/dq",
               RelativeError(dq, ToMatrix(sample.at("dtau_dq")), scale), where);
    errors.Add("dtau/dv",
               RelativeError(dv, ToMatrix(sample.at("dtau_dv")), scale), where);
    errors.Add("dtau/da", RelativeError(last, M), where);
    errors.Add("transposed dtau/dq",
               RelativeError(dq.transpose(), ToMatrix(sample.at("dtau_dq"))),
               where);
    const VectorXd free =
        robot.ForwardDynamics(q, v, ToVector(sample.at("tau")));
    ForwardDynamicsDerivatives(tree, terms, v.data(), free.data(),
                               workspace.scratch(), inverse, forward, dq.data(),
                               dv.data(), last.data());
    const auto add = [&](const char* quantity, const RowMajorXd& ours,
                         const char* field) {
      errors.Add(quantity,
                 RelativeError(ours, ToMatrix(sample.at(field))) / condition,
                 where);
    };
    add("da/dq / cond M", dq, "ddq_dq");
    add("da/dv / cond M", dv, "ddq_dv");
    add("da/dtau / cond M", last, "ddq_dtau");
  });
  errors.ExpectBelow("dtau/dq", 1e-14);
  errors.ExpectBelow("dtau/dv", 1e-14);
  errors.ExpectBelow("dtau/da", 1e-14);
  errors.ExpectBelow("da/dq / cond M", 1e-15);
  errors.ExpectBelow("da/dv / cond M", 1e-15);
  errors.ExpectBelow("da/dtau / cond M", 1e-15);
  errors.ExpectAbove("transposed dtau/dq", 1e-4);
}

TEST_P(GoldenTest, PoseJacobianAndDriftOfTheTipEqualInEveryFrame) {
  LargestErrors errors;
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const VectorXd q = ToVector(sample.at("q"));
    const VectorXd v = ToVector(sample.at("v"));
    Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
    pose.topLeftCorner<3, 3>() = ToMatrix(sample.at("tip_pose").at("R"));
    pose.topRightCorner<3, 1>() = ToVector(sample.at("tip_pose").at("p"));
    errors.Add("pose", RelativeError(MakeRobot().FramePose(q), pose), where);
    for (const auto& [frame, name] : kFrames) {
      const std::string suffix = std::string("_") + name;
      const MatrixXd J = ToMatrix(sample.at("J" + suffix));
      const VectorXd drift = ToVector(sample.at("Jdot_v" + suffix));
      for (const auto& [ours, our_name] : kFrames) {
        const std::string of =
            ours == frame ? suffix : suffix + " in " + our_name;
        Robot robot = MakeRobot(ours);
        errors.Add("J" + of, RelativeError(robot.Jacobian(q), J), where);
        errors.Add("Jdot_v" + of,
                   RelativeError(robot.JacobianDrift(q, v), drift), where);
      }
    }
  });
  errors.ExpectBelow("pose", 4e-15);
  for (const auto& [frame, name] : kFrames) {
    const std::string suffix = std::string("_") + name;
    errors.ExpectBelow("J" + suffix, 6e-15);
    errors.ExpectBelow("Jdot_v" + suffix, 9e-15);
    for (const auto& [ours, our_name] : kFrames) {
      if (ours == frame) continue;
      errors.ExpectAbove("J" + suffix + " in " + our_name, 1e-3);
      errors.ExpectAbove("Jdot_v" + suffix + " in " + our_name, 1e-3);
    }
  }
}

/// What Λ and η are made of, from the data.
struct Terms {
  MatrixXd J;  // local
  MatrixXd W;  // J M⁻¹ Jᵀ
  VectorXd r;  // J M⁻¹ h − J̇ v
};

Terms TermsOf(const nlohmann::json& sample) {
  const Eigen::LLT<MatrixXd> M(ToMatrix(sample.at("M")));
  Terms terms;
  terms.J = ToMatrix(sample.at("J_local"));
  terms.W = terms.J * M.solve(terms.J.transpose());
  terms.r = terms.J * M.solve(ToVector(sample.at("nle"))) -
            ToVector(sample.at("Jdot_v_local"));
  return terms;
}

TEST_P(GoldenTest, OperationalSpaceEquals) {
  LargestErrors errors;
  Robot robot = MakeRobot();
  int full_rank = 0;
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const VectorXd q = ToVector(sample.at("q"));
    const VectorXd v = ToVector(sample.at("v"));
    const auto result = robot.OperationalSpace(q, v);
    const Terms terms = TermsOf(sample);
    const double sigma_min = sample.at("J_sigma_min");
    // An error of J is one of σ.
    const double sigma_error =
        std::abs(result.diagnostics.sigma_min - sigma_min) / terms.J.norm();
    errors.Add("sigma_min", sigma_error, where);
    if (sample.at("Lambda").is_null()) return;
    ++full_rank;
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kFullRank) << where;
    EXPECT_EQ(result.diagnostics.rank, 6) << where;
    const MatrixXd lambda = ToMatrix(sample.at("Lambda"));
    const VectorXd eta = ToVector(sample.at("eta"));
    const double condition = ConditionNumber(terms.W);
    errors.Add("Lambda / cond W",
               RelativeError(result.lambda, lambda) / condition, where);
    errors.Add("eta / cond W", RelativeError(result.eta, eta) / condition,
               where);
    const auto world = MakeRobot(ReferenceFrame::kWorld).OperationalSpace(q, v);
    errors.Add("Lambda in another frame", RelativeError(world.lambda, lambda),
               where);
    errors.Add("eta in another frame", RelativeError(world.eta, eta), where);
  });
  errors.ExpectBelow("sigma_min", 8e-16);
  if (full_rank == 0) return;
  errors.ExpectBelow("Lambda / cond W", 1e-16);
  errors.ExpectBelow("eta / cond W", 1e-16);
  errors.ExpectAbove("Lambda in another frame", 1e-3);
  errors.ExpectAbove("eta in another frame", 1e-3);
}

class SingularGoldenTest : public GoldenTest {};

INSTANTIATE_TEST_SUITE_P(Robots, SingularGoldenTest,
                         ::testing::Values("double_pendulum",
                                           "allegro_right_hand"),
                         [](const auto& robot) {
                           return std::string(robot.param);
                         });

// These have fewer joints on the way to the tip than the task has axes: Λ is
// the pseudoinverse of W then, which is taken here by eigenvectors.
TEST_P(SingularGoldenTest, RangeRestrictedLambdaIsThePseudoinverse) {
  LargestErrors errors;
  Robot robot = MakeRobot();
  ForSamples([&](const nlohmann::json& sample, const std::string& where) {
    const auto result = robot.OperationalSpace(ToVector(sample.at("q")),
                                               ToVector(sample.at("v")));
    const Terms terms = TermsOf(sample);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(terms.W);
    const int rank = result.diagnostics.rank;
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted) << where;
    const VectorXd values = eigen.eigenvalues().tail(rank);
    ASSERT_LT(rank, 6) << where;
    // The gap that makes the rank beyond doubt.
    EXPECT_LT(std::abs(eigen.eigenvalues()[5 - rank]), 1e-9 * values[0])
        << where;
    const MatrixXd vectors = eigen.eigenvectors().rightCols(rank);
    const MatrixXd lambda =
        vectors * values.cwiseInverse().asDiagonal() * vectors.transpose();
    const double condition = values[rank - 1] / values[0];
    errors.Add("Lambda / cond W",
               RelativeError(result.lambda, lambda) / condition, where);
    errors.Add("eta / cond W",
               RelativeError(result.eta, lambda * terms.r) / condition, where);
    errors.Add("eta of the other sign",
               RelativeError(-result.eta, lambda * terms.r), where);
  });
  errors.ExpectBelow("Lambda / cond W", 1e-16);
  errors.ExpectBelow("eta / cond W", 1e-16);
  errors.ExpectAbove("eta of the other sign", 1);
}

}  // namespace
}  // namespace torqued::testing_support
