// Quantities of the general algorithm texts against golden vectors of published
// robots: see golden_test.cc.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/dynamics/aba.h"
#include "core/dynamics/coriolis.h"
#include "core/dynamics/crba.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/jacobian_rate.h"
#include "core/dynamics/kinematics.h"
#include "core/dynamics/ldlt.h"
#include "core/dynamics/link_motion.h"
#include "core/dynamics/matrix_form.h"
#include "core/dynamics/momentum.h"
#include "core/dynamics/regressor.h"
#include "core/dynamics/workspace.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct FrameName {
  ReferenceFrame frame;
  const char* name;  // in the data
};
constexpr FrameName kFrames[] = {{ReferenceFrame::kLocal, "local"},
                                 {ReferenceFrame::kLocalWorldAligned, "lwa"},
                                 {ReferenceFrame::kWorld, "world"}};

/// A state of the robot, placed.
struct Sample {
  const nlohmann::json& data;
  std::string where;
  VectorXd q, v, a;
  Scratch<double>& scratch;

  VectorXd Vector(const std::string& field) const {
    return ToVector(data.at(field));
  }
  MatrixXd Matrix(const std::string& field) const {
    return ToMatrix(data.at(field));
  }
};

class GoldenTextsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
    const std::string name = GetParam();
    data_ = ReadSharedJson("golden/" + name + ".json");
    model_ = LoadModel(ReadSharedText("robots/" + name + ".urdf"),
                       data_.at("tip_frame"));
    ASSERT_NE(model_, nullptr);
    tree_ = model_->tree();
    tip_ = model_->frames()[*model_->tip_frame()].placement;
    workspace_.Reserve(tree_.n);
    const VectorXd g = ToVector(data_.at("gravity"));
    terms_ = {{g[0], g[1], g[2]}, false, false, false};
  }

  template <typename Compare>
  void ForSamples(Compare compare) {
    int i = 0;
    Scratch<double>& scratch = workspace_.scratch();
    for (const auto& data : data_.at("samples")) {
      const Sample sample = {data,
                             "sample " + std::to_string(i++),
                             ToVector(data.at("q")),
                             ToVector(data.at("v")),
                             ToVector(data.at("a")),
                             scratch};
      // After the seven numbers of a floating base.
      const double* const q = sample.q.data() + (sample.q.size() - tree_.n);
      ComputePlacements(tree_, q, scratch);
      ComputeWorldPlacements(tree_, scratch);
      compare(sample);
    }
    ASSERT_GT(i, 0);
  }

  RowMajor Coriolis(const Sample& s) {
    CoriolisScratch<double> own;
    std::vector<CoriolisInertia<double>> memory(
        static_cast<std::size_t>(tree_.n));
    own.B = memory.data();
    RowMajor C(tree_.n, tree_.n);
    CoriolisMatrix(tree_, s.v.data(), s.scratch, own, C.data());
    return C;
  }

  nlohmann::json data_;
  std::shared_ptr<const Model> model_;
  Tree tree_{};
  BodyFrame tip_{};
  DynamicsTerms terms_{};
  Workspace<double> workspace_;
};

INSTANTIATE_TEST_SUITE_P(Robots, GoldenTextsTest,
                         ::testing::Values("ur5_robot", "panda", "z1",
                                           "double_pendulum",
                                           "allegro_right_hand"),
                         [](const auto& robot) {
                           return std::string(robot.param);
                         });

TEST_P(GoldenTextsTest, CoriolisMatricesEqual) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    const MatrixXd expected = s.Matrix("C");
    const MatrixXd C = Coriolis(s);
    errors.Add("C", RelativeError(C, expected), s.where);
    errors.Add(
        "C of stacked matrices",
        RelativeError(MatrixForm(*model_, s.q, s.v).CoriolisMatrix(), expected),
        s.where);
    errors.Add("C transposed", RelativeError(C.transpose(), expected), s.where);
  });
  errors.ExpectBelow("C", 1e-14);
  errors.ExpectBelow("C of stacked matrices", 1e-14);
  errors.ExpectAbove("C transposed", 1e-3);
}

TEST_P(GoldenTextsTest, EnergiesEqual) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    const double K = KineticEnergy(tree_, s.v.data(), s.scratch);
    const double P = PotentialEnergy(tree_, terms_.gravity, s.scratch);
    const double expected_K = s.data.at("kinetic_energy");
    const double expected_P = s.data.at("potential_energy");
    errors.Add("K", std::abs(K / expected_K - 1), s.where);
    // What P would be with all mass a metre up.
    const double scale = 9.81 * model_->moving_mass();
    errors.Add("P", std::abs(P - expected_P) / scale, s.where);
    errors.Add("P of the other sign", std::abs(P + expected_P) / scale,
               s.where);
  });
  errors.ExpectBelow("K", 5e-15);
  errors.ExpectBelow("P", 1e-15);
  errors.ExpectAbove("P of the other sign", 1e-4);
}

TEST_P(GoldenTextsTest, CentresOfMassEqual) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    VectorXd com(3), velocity(3), momentum(6), expected = s.Vector("com");
    CentroidalMomentum(tree_, s.v.data(), s.scratch, com.data(),
                       velocity.data(), momentum.data());
    errors.Add("com", RelativeError(com, expected), s.where);
    errors.Add("com velocity",
               RelativeError(velocity, s.Vector("com_velocity")), s.where);
    errors.Add(
        "mass",
        std::abs(TotalMass(tree_) / s.data.at("total_mass").get<double>() - 1),
        s.where);
    errors.Add("momentum for velocity",
               RelativeError(momentum.tail(3), s.Vector("com_velocity")),
               s.where);
  });
  errors.ExpectBelow("com", 5e-15);
  errors.ExpectBelow("com velocity", 1e-14);
  errors.ExpectBelow("mass", 1e-15);
  errors.ExpectAbove("momentum for velocity", 1e-2);
}

TEST_P(GoldenTextsTest, TwistsAndAccelerationsOfTheTipEqualInEveryFrame) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    ComputeBodyMotions(tree_, s.v.data(), s.a.data(), s.scratch);
    for (const auto& [frame, name] : kFrames) {
      VectorXd twist(6), spatial(6), classical(6);
      FrameTwist(tree_, tip_, frame, s.scratch, twist.data());
      FrameAcceleration(tree_, tip_, frame, AccelerationKind::kSpatial,
                        s.scratch, spatial.data());
      FrameAcceleration(tree_, tip_, frame, AccelerationKind::kClassical,
                        s.scratch, classical.data());
      const std::string suffix = std::string("_") + name;
      const VectorXd expected = s.Vector("tip_acc_spatial" + suffix);
      errors.Add("twist" + suffix,
                 RelativeError(twist, s.Vector("tip_twist" + suffix)), s.where);
      errors.Add("spatial" + suffix, RelativeError(spatial, expected), s.where);
      if (frame == ReferenceFrame::kWorld) continue;  // they have none
      errors.Add(
          "classical" + suffix,
          RelativeError(classical, s.Vector("tip_acc_classical" + suffix)),
          s.where);
      errors.Add("classical for spatial" + suffix,
                 RelativeError(classical, expected), s.where);
    }
  });
  for (const auto& [frame, name] : kFrames) {
    const std::string suffix = std::string("_") + name;
    errors.ExpectBelow("twist" + suffix, 1e-14);
    errors.ExpectBelow("spatial" + suffix, 1e-14);
    if (frame == ReferenceFrame::kWorld) continue;
    errors.ExpectBelow("classical" + suffix, 1e-14);
    errors.ExpectAbove("classical for spatial" + suffix, 1e-4);
  }
}

TEST_P(GoldenTextsTest, DriftsOfEitherKindEqual) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    const double* const no_acceleration = nullptr;
    ComputeBodyMotions(tree_, s.v.data(), no_acceleration, s.scratch);
    VectorXd spatial(6), classical(6);
    FrameAcceleration(tree_, tip_, ReferenceFrame::kLocalWorldAligned,
                      AccelerationKind::kSpatial, s.scratch, spatial.data());
    FrameAcceleration(tree_, tip_, ReferenceFrame::kLocal,
                      AccelerationKind::kClassical, s.scratch,
                      classical.data());
    errors.Add("spatial, world-aligned",
               RelativeError(spatial, s.Vector("drift_spatial_lwa")), s.where);
    errors.Add("classical, local",
               RelativeError(classical, s.Vector("drift_classical_local")),
               s.where);
  });
  errors.ExpectBelow("spatial, world-aligned", 1e-14);
  errors.ExpectBelow("classical, local", 1e-14);
}

TEST_P(GoldenTextsTest, RatesOfJacobiansEqualInEveryFrame) {
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    for (const auto& [frame, name] : kFrames) {
      RowMajor rate(6, tree_.n);
      FrameJacobianRate(tree_, tip_, frame, s.v.data(), s.scratch, rate.data());
      for (const auto& [other, other_name] : kFrames) {
        const MatrixXd expected = s.Matrix(std::string("dJ_") + other_name);
        errors.Add(frame == other
                       ? std::string("dJ_") + name
                       : std::string("dJ_") + other_name + " in " + name,
                   RelativeError(rate, expected), s.where);
      }
    }
  });
  for (const auto& [frame, name] : kFrames) {
    errors.ExpectBelow(std::string("dJ_") + name, 1e-14);
    for (const auto& [other, other_name] : kFrames) {
      if (frame == other) continue;
      errors.ExpectAbove(std::string("dJ_") + other_name + " in " + name, 1e-3);
    }
  }
}

TEST_P(GoldenTextsTest, RegressorsEqual) {
  LargestErrors errors;
  const VectorXd theta = ToVector(data_.at("inertial_parameters"));
  ForSamples([&](const Sample& s) {
    RowMajor Y(tree_.n, kInertialParameters * tree_.n);
    TorqueRegressor(tree_, terms_, s.v.data(), s.a.data(), s.scratch, Y.data());
    errors.Add("Y theta", RelativeError(Y * theta, s.Vector("tau_id")),
               s.where);
    if (s.data.at("regressor").is_null()) return;
    const MatrixXd expected = s.Matrix("regressor");
    errors.Add("Y", RelativeError(Y, expected), s.where);
    const int last = kInertialParameters * (tree_.n - 1);
    Y.col(last + 1).swap(Y.col(last + 2));
    errors.Add("Y in another order", RelativeError(Y, expected), s.where);
  });
  errors.ExpectBelow("Y theta", 5e-15);
  errors.ExpectBelow("Y", 5e-15);
  errors.ExpectAbove("Y in another order", 1e-6);
}

/// Their base floats: to us, which have no such joint, it moves as told.
class GoldenMovingBaseTest : public GoldenTextsTest {
 protected:
  struct Motion {
    BaseMotion<double> base;
    DynamicsTerms terms;  // gravity in base axes
    VectorXd v, a;        // of the joints
  };

  Motion MotionOf(const Sample& s) const {
    const Eigen::Quaterniond R(s.q[6], s.q[3], s.q[4], s.q[5]);
    const Eigen::Vector3d g =
        R.conjugate() * Eigen::Vector3d(ToVector(data_.at("gravity")));
    return {{ToTwist(s.v), ToTwist(s.a)},
            {{g[0], g[1], g[2]}, false, false, false},
            s.v.tail(tree_.n),
            s.a.tail(tree_.n)};
  }

  static Twist<double> ToTwist(const VectorXd& x) {
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }

  /// Of what is fixed to the base.
  SpatialInertia<double> BaseInertia() const {
    const VectorXd p = ToVector(data_.at("inertial_parameters")).head(10);
    return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[7], p[6], p[8], p[9]}};
  }
};

INSTANTIATE_TEST_SUITE_P(Robots, GoldenMovingBaseTest,
                         ::testing::Values("anymal"), [](const auto& robot) {
                           return std::string(robot.param);
                         });

TEST_P(GoldenMovingBaseTest, ForcesAndMotionsEqual) {
  ASSERT_EQ(data_.at("joints").size(), model_->joints().size() + 1);
  for (int i = 0; i < tree_.n; ++i) {
    ASSERT_EQ(data_.at("joints")[i + 1].at("name"), model_->joints()[i].name);
  }
  LargestErrors errors;
  ForSamples([&](const Sample& s) {
    const Motion m = MotionOf(s);
    const BaseMotion<double>* const base = &m.base;
    const VectorXd expected = s.Vector("tau_id");
    VectorXd tau(tree_.n), reaction(6), a(tree_.n);
    InverseDynamics(tree_, m.terms, m.v.data(), m.a.data(), s.scratch,
                    tau.data(), base);
    errors.Add("tau", RelativeError(tau, expected.tail(tree_.n)), s.where);
    ForwardDynamics(tree_, m.terms, m.v.data(), tau.data(), s.scratch, a.data(),
                    base);
    errors.Add("a", RelativeError(a, m.a), s.where);
    // What accelerates the base, and what it passes on.
    InverseDynamics(tree_, m.terms, m.v.data(), m.a.data(), s.scratch,
                    tau.data(), base);
    BaseReaction(tree_, s.scratch, reaction.data());
    const SpatialInertia<double> G = BaseInertia();
    Twist<double> A = m.base.A;
    A.v -= Vec3<double>::Constant(m.terms.gravity);
    const Wrench<double> own = G * A + MinusAdTranspose(m.base.V, G * m.base.V);
    VectorXd wrench(6);
    wrench << own.m.x, own.m.y, own.m.z, own.f.x, own.f.y, own.f.z;
    errors.Add("wrench on the base",
               RelativeError(wrench + reaction, expected.head(6)), s.where);
    errors.Add("reaction alone", RelativeError(reaction, expected.head(6)),
               s.where);
    const double K = KineticEnergy(tree_, m.v.data(), s.scratch, base) +
                     0.5 * Dot(G * m.base.V, m.base.V);
    errors.Add("K", std::abs(K / s.data.at("kinetic_energy").get<double>() - 1),
               s.where);

    VectorXd V(6), spatial(6), classical(6), drift(6);
    constexpr ReferenceFrame kLocal = ReferenceFrame::kLocal;
    ComputeBodyMotions(tree_, m.v.data(), m.a.data(), s.scratch, base);
    FrameTwist(tree_, tip_, kLocal, s.scratch, V.data(), base);
    FrameAcceleration(tree_, tip_, kLocal, AccelerationKind::kSpatial,
                      s.scratch, spatial.data(), base);
    FrameAcceleration(tree_, tip_, kLocal, AccelerationKind::kClassical,
                      s.scratch, classical.data(), base);
    const BaseMotion<double> steady = {m.base.V, Twist<double>::Zero()};
    FrameDrift(tree_, tip_, kLocal, m.v.data(), s.scratch, drift.data(),
               &steady);
    errors.Add("twist", RelativeError(V, s.Vector("tip_twist_local")), s.where);
    errors.Add("spatial",
               RelativeError(spatial, s.Vector("tip_acc_spatial_local")),
               s.where);
    errors.Add("classical",
               RelativeError(classical, s.Vector("tip_acc_classical_local")),
               s.where);
    errors.Add("drift", RelativeError(drift, s.Vector("Jdot_v_local")),
               s.where);

    const int columns = kInertialParameters * tree_.n;
    RowMajor Y(tree_.n, columns);
    TorqueRegressor(tree_, m.terms, m.v.data(), m.a.data(), s.scratch, Y.data(),
                    base);
    errors.Add(
        "Y",
        RelativeError(
            Y, s.Matrix("regressor").bottomRightCorner(tree_.n, columns)),
        s.where);
    // Twin: a base that stands still.
    InverseDynamics(tree_, m.terms, m.v.data(), m.a.data(), s.scratch,
                    tau.data());
    errors.Add("tau on a base at rest",
               RelativeError(tau, expected.tail(tree_.n)), s.where);
  });
  errors.ExpectBelow("tau", 4e-15);
  errors.ExpectBelow("a", 1e-13);
  errors.ExpectBelow("wrench on the base", 4e-15);
  errors.ExpectBelow("K", 5e-15);
  errors.ExpectBelow("twist", 2e-15);
  errors.ExpectBelow("spatial", 1e-15);
  errors.ExpectBelow("classical", 4e-15);
  errors.ExpectBelow("drift", 1e-15);
  errors.ExpectBelow("Y", 4e-15);
  errors.ExpectAbove("reaction alone", 1e-2);
  errors.ExpectAbove("tau on a base at rest", 1e-2);
}

}  // namespace
}  // namespace torqued::testing_support
