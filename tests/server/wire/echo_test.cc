#include "server/wire/echo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/robots.h"

namespace torqued::server {
namespace {

using ::testing::ElementsAre;

EvaluationPlan Plan(EvaluationOptions options) {
  static const double q[3] = {0.1, 0.2, 0.3};
  EvaluationInputs inputs;
  inputs.q = {q, NumberType::kF64, 1, 3};
  auto plan = EvaluationPlan::Create(ThreeJoints().loaded->model,
                                     std::move(options), inputs);
  return std::get<EvaluationPlan>(std::move(plan));
}

v1::Echo EchoOf(const EvaluationPlan& plan, bool sigma_min = false) {
  v1::Echo echo;
  FillEcho(plan, sigma_min, "three", "abc", Validation::kLenient, "baseline",
           &echo);
  return echo;
}

TEST(EchoTest, DefaultsAreFilledIn) {
  EvaluationOptions options;
  options.quantities = {Quantity::kInverseDynamics};
  const v1::Echo echo = EchoOf(Plan(options));
  EXPECT_EQ(echo.model(), "three");
  EXPECT_EQ(echo.revision(), "abc");
  EXPECT_EQ(echo.validation(), v1::VALIDATION_LENIENT);
  EXPECT_EQ(echo.target(), "baseline");
  EXPECT_FALSE(echo.server_version().empty());
  EXPECT_THAT(echo.joint_names(), ElementsAre("lift", "reach", "twist"));
  EXPECT_THAT(echo.terms().gravity(), ElementsAre(0, 0, -9.81));
  EXPECT_EQ(echo.reference_frame(), v1::REFERENCE_FRAME_LOCAL);
  EXPECT_EQ(echo.tip_frame(), "") << "nothing uses one";
  EXPECT_FALSE(echo.has_operational_space());
  EXPECT_EQ(echo.precision(), v1::PRECISION_DOUBLE);
}

TEST(EchoTest, PrecisionIsAsAskedForAndAsComputed) {
  EvaluationOptions options;
  options.quantities = {Quantity::kMassMatrix};
  options.precision = Precision::kSingle;
  v1::Echo echo = EchoOf(Plan(options));
  EXPECT_EQ(echo.precision(), v1::PRECISION_SINGLE);
  EXPECT_EQ(echo.computed_precision(), v1::PRECISION_SINGLE);
  // Which computes in double precision.
  options.texts = Texts::kReference;
  echo = EchoOf(Plan(options));
  EXPECT_EQ(echo.precision(), v1::PRECISION_SINGLE);
  EXPECT_EQ(echo.computed_precision(), v1::PRECISION_DOUBLE);
}

TEST(EchoTest, JointNamesStandInTheCallersOrder) {
  EvaluationOptions options;
  options.quantities = {Quantity::kMassMatrix};
  options.joint_names = {"twist", "lift", "reach"};
  EXPECT_THAT(EchoOf(Plan(options)).joint_names(),
              ElementsAre("twist", "lift", "reach"));
}

TEST(EchoTest, TipFrameAndTaskAreNamedWhereUsed) {
  EvaluationOptions options;
  options.quantities = {Quantity::kOperationalSpace};
  const v1::Echo echo = EchoOf(Plan(options));
  EXPECT_EQ(echo.tip_frame(), "hand");
  EXPECT_EQ(echo.operational_space().axes_size(), 6);
  EXPECT_FALSE(echo.operational_space().sigma_min());
  EXPECT_TRUE(EchoOf(Plan(options), true).operational_space().sigma_min());
}

TEST(EchoTest, TimingKeepsNanoseconds) {
  v1::Timing timing;
  FillTiming(std::chrono::nanoseconds(1'500'000'001),
             std::chrono::nanoseconds(7), &timing);
  EXPECT_EQ(timing.queue().seconds(), 1);
  EXPECT_EQ(timing.queue().nanos(), 500'000'001);
  EXPECT_EQ(timing.compute().nanos(), 7);
}

}  // namespace
}  // namespace torqued::server
