#include "client/cli/check/torque_envelope.h"

#include <gmock/gmock.h>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

v1::JointDemand Curve(std::initializer_list<double> speeds,
                      std::initializer_list<double> torques) {
  v1::JointDemand demand;
  demand.set_torque_limit(*torques.begin());
  demand.mutable_torque_limit_speeds()->Add(speeds.begin(), speeds.end());
  demand.mutable_torque_limit_torques()->Add(torques.begin(), torques.end());
  return demand;
}

TEST(TorqueEnvelope, WithoutALimitThereIsNone) {
  EXPECT_THAT(EnvelopeOf({}, 3).speed, IsEmpty());
}

TEST(TorqueEnvelope, AConstantLimitGoesUpToTheHighestSpeed) {
  v1::JointDemand demand;
  demand.set_torque_limit(40);
  const TorqueEnvelope envelope = EnvelopeOf(demand, 3);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 3));
  EXPECT_THAT(envelope.torque, ElementsAre(40, 40));
}

TEST(TorqueEnvelope, CornersThatNobodyReachedAreThere) {
  const TorqueEnvelope envelope =
      EnvelopeOf(Curve({0.5, 1, 2}, {100, 80, 20}), 3);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 0.5, 1, 2, 3));
  EXPECT_THAT(envelope.torque, ElementsAre(100, 100, 80, 20, 20));
}

TEST(TorqueEnvelope, TheCurveEndsAtTheHighestSpeed) {
  const TorqueEnvelope envelope =
      EnvelopeOf(Curve({0, 1, 2}, {100, 80, 20}), 1.5);
  EXPECT_THAT(envelope.speed, ElementsAre(0, 1, 1.5));
  EXPECT_THAT(envelope.torque, ElementsAre(100, 80, 50));
}

TEST(TorqueEnvelope, ACurveOfOtherLengthsIsNone) {
  v1::JointDemand demand = Curve({0, 1}, {100, 80});
  demand.add_torque_limit_speeds(2);
  EXPECT_THAT(EnvelopeOf(demand, 3).torque, ElementsAre(100, 100));
}

TEST(TorqueEnvelope, WhatIsTooHighIsCutOffWhereItCrosses) {
  const TorqueEnvelope falling{{0, 2, 3}, {100, 20, 20}};
  const auto pieces = PiecesUpTo(60, falling);
  ASSERT_THAT(pieces, SizeIs(1));
  EXPECT_THAT(pieces[0].speed, ElementsAre(1, 2, 3));
  EXPECT_THAT(pieces[0].torque, ElementsAre(60, 20, 20));
  EXPECT_THAT(PiecesUpTo(10, falling), IsEmpty());
  const auto whole = PiecesUpTo(100, falling);
  ASSERT_THAT(whole, SizeIs(1));
  EXPECT_EQ(whole[0].speed, falling.speed);
  EXPECT_EQ(whole[0].torque, falling.torque);
}

TEST(TorqueEnvelope, APeakLeavesTwoPieces) {
  const auto pieces = PiecesUpTo(50, {{0, 1, 2, 3}, {0, 100, 1e9, 0}});
  ASSERT_THAT(pieces, SizeIs(2));
  EXPECT_THAT(pieces[0].speed, ElementsAre(0, 0.5));
  EXPECT_THAT(pieces[0].torque, ElementsAre(0, 50));
  EXPECT_THAT(pieces[1].speed,
              ElementsAre(::testing::DoubleEq(3 - 50 / 1e9), 3));
  EXPECT_THAT(pieces[1].torque, ElementsAre(50, 0));
}

}  // namespace
}  // namespace torqued::cli
