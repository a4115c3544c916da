#include "client/cli/check/torque_envelope.h"

#include <gmock/gmock.h>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::CheckTrajectoryStart Curve(std::initializer_list<double> speeds,
                               std::initializer_list<double> torques) {
  v1::CheckTrajectoryStart asked;
  asked.add_bounds()->set_joint("other");
  asked.mutable_bounds(0)->set_effort(1);
  v1::JointBounds* bounds = asked.add_bounds();
  bounds->set_joint("j");
  for (const double speed : speeds) bounds->add_speeds(speed);
  for (const double torque : torques) bounds->add_torques(torque);
  return asked;
}

TEST(TorqueEnvelope, WithoutALimitThereIsNone) {
  EXPECT_THAT(EnvelopeOf({}, "j", std::nullopt, 3).speed, IsEmpty());
}

TEST(TorqueEnvelope, AConstantLimitGoesUpToTheHighestSpeed) {
  v1::CheckTrajectoryStart asked;
  asked.set_derating(0.5);
  const TorqueEnvelope envelope = EnvelopeOf(asked, "j", 80, 3);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 3));
  EXPECT_THAT(envelope.torque, ElementsAre(40, 40));
}

TEST(TorqueEnvelope, CornersThatNobodyReachedAreThere) {
  const TorqueEnvelope envelope =
      EnvelopeOf(Curve({0.5, 1, 2}, {100, 80, 20}), "j", std::nullopt, 3);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 0.5, 1, 2, 3));
  EXPECT_THAT(envelope.torque, ElementsAre(100, 100, 80, 20, 20));
}

TEST(TorqueEnvelope, TheCurveEndsAtTheHighestSpeed) {
  const TorqueEnvelope envelope =
      EnvelopeOf(Curve({0, 1, 2}, {100, 80, 20}), "j", std::nullopt, 1.5);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 1, 1.5));
  EXPECT_THAT(envelope.torque, ElementsAre(100, 80, 50));
}

TEST(TorqueEnvelope, TheEffortCutsItWhereTheyCross) {
  const v1::CheckTrajectoryStart asked = Curve({0, 2, 4}, {100, 60, 20});
  const TorqueEnvelope envelope = EnvelopeOf(asked, "j", 80, 4);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(envelope.torque, ElementsAre(80, 80, 60, 20));
}

TEST(TorqueEnvelope, AnEffortOfItsOwnCountsInThePlaceOfTheModels) {
  v1::CheckTrajectoryStart asked = Curve({0, 4}, {100, 20});
  asked.mutable_bounds(1)->set_effort(40);
  const TorqueEnvelope envelope = EnvelopeOf(asked, "j", 80, 4);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 3, 4));
  EXPECT_THAT(envelope.torque, ElementsAre(40, 40, 20));
}

}  // namespace
}  // namespace torqued::cli
