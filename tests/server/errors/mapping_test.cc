#include "server/errors/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/evaluation.h"
#include "server/registry/registry.h"

namespace torqued::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MappingTest, TheArrayOfAWrenchIsAFieldOfItsMessage) {
  const std::string wrench(ToString(Input::kTipWrench));
  EXPECT_EQ(
      ToError(ArgumentError{ArgumentError::Code::kWrongColumnCount, wrench, ""})
          .violations[0]
          .field,
      "tip_wrench_on_environment.wrench");
  EXPECT_EQ(
      ToError(ArgumentError{ArgumentError::Code::kInvalidOption, wrench, ""})
          .violations[0]
          .field,
      "tip_wrench_on_environment");
}

TEST(MappingTest, ABadSampleNamesItsRowAndJoint) {
  const Error sample =
      ToError(ArgumentError{ArgumentError::Code::kInvalidSample, "q[4][2]",
                            "It is not a finite number.", 4, "elbow"});
  EXPECT_EQ(sample.reason, v1::INVALID_SAMPLE);
  EXPECT_THAT(sample.metadata,
              ElementsAre(Pair("row", "4"), Pair("joint", "elbow")));
  EXPECT_THAT(ToError(ArgumentError{}).metadata, IsEmpty());
}

/// Of a model that has `known` frames.
Error NoFrame(std::string name, std::vector<std::string> known) {
  ArgumentError unknown;
  unknown.code = ArgumentError::Code::kUnknownFrame;
  unknown.field = "options.tip_frame";
  unknown.message = "The model has no frame '" + name + "'.";
  unknown.wanted = std::move(name);
  unknown.candidates = std::move(known);
  return ToError(std::move(unknown));
}

TEST(MappingTest, ANameThatThereIsNotComesWithTheNearest) {
  const Error near = NoFrame("tol0", {"base", "tool0", "wrist"});
  EXPECT_THAT(near.message,
              HasSubstr("has no frame 'tol0'; did you mean tool0?"));
  EXPECT_THAT(near.violations[0].description, HasSubstr("tool0?"));
  EXPECT_THAT(near.metadata, ElementsAre(Pair("candidates", "tool0"),
                                         Pair("candidate_count", "1")));
}

TEST(MappingTest, ANameThatIsNearToNothingComesWithThoseThatThereAre) {
  const std::vector<std::string> known{"a1", "b2", "c3", "d4",
                                       "e5", "f6", "g7", "h8"};
  for (const std::string& name :
       {std::string("shoulder"), std::string(100'000, 'a')}) {
    const Error far = NoFrame(name, known);
    EXPECT_THAT(far.message, HasSubstr("'; known are a1, b2, c3, d4, e5, ..."));
    EXPECT_THAT(far.metadata,
                ElementsAre(Pair("candidates", "a1,b2,c3,d4,e5,f6,g7"),
                            Pair("candidate_count", "8")));
  }
  EXPECT_EQ(NoFrame("hand", {}).message,
            "options.tip_frame: The model has no frame 'hand'.");
}

TEST(MappingTest, ATipThatAGoodModelLacksIsAnUnknownFrame) {
  RegistryError refused;
  refused.code = RegistryError::Code::kInvalidModel;
  refused.message = "invalid model: no link 'x'";
  refused.field = "source";
  refused.report.Add(LintCode::kUnknownTip, {}, "no link 'x'");
  const Error error = ToError(refused);
  EXPECT_EQ(error.reason, v1::UNKNOWN_FRAME);
  EXPECT_EQ(error.message, "no link 'x'");
  ASSERT_EQ(error.violations.size(), 1u);
  EXPECT_EQ(error.violations[0].field, "options.default_tip");
}

TEST(MappingTest, CandidatesAreListedWholeAndCounted) {
  RegistryError ambiguous;
  ambiguous.code = RegistryError::Code::kAmbiguous;
  ambiguous.candidates.assign(9, std::string(64, 'a'));
  const Error error = ToError(ambiguous);
  EXPECT_EQ(error.reason, v1::AMBIGUOUS_REVISION);
  EXPECT_THAT(error.metadata, Contains(Pair("candidate_count", "9")));
  ASSERT_EQ(error.metadata[0].first, "candidates");
  EXPECT_LE(error.metadata[0].second.size(), 512u);
  EXPECT_EQ((error.metadata[0].second.size() + 1) % 65, 0u);
}

TEST(MappingTest, AStoreThatDoesNotAnswerMayBeTriedAgain) {
  RegistryError error;
  error.code = RegistryError::Code::kStoreUnavailable;
  EXPECT_EQ(ToError(error).reason, v1::STORE_UNAVAILABLE);
  EXPECT_TRUE(ToError(error).retry_after);
  error.code = RegistryError::Code::kNotFound;
  EXPECT_FALSE(ToError(error).retry_after);
}

}  // namespace
}  // namespace torqued::server
