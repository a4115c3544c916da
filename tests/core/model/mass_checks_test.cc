#include "core/model/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

BuildOptions With(Validation validation) { return {.validation = validation}; }

// An arm that turns about z, with `link` on a fixed joint at `carrier`.
LoadResult ArmAnd(const LinkDescription& link, const std::string& carrier,
                  Validation validation = Validation::kDefault) {
  return Build({MasslessLink("base"), Link("arm", 2, {0.3, 0, 0}), link},
               {JointOf("turn", JointKind::kContinuous, "base", "arm"),
                JointOf("weld", JointKind::kFixed, carrier, link.name)},
               With(validation));
}

LinkDescription Tensor(double mass, std::array<double, 6> inertia,
                       std::array<double, 3> com = {0, 0, 0}) {
  LinkDescription link = Link("part", mass, com);
  link.inertial->inertia = inertia;
  return link;
}

// As published: 1 mg with moments that no body has.
LinkDescription Antenna() {
  return Tensor(1e-6,
                {2.371e-8, 6.119e-8, 1.179e-8, 2.833e-8, 0.774e-8, 3.849e-8});
}

const Finding& Only(const LoadResult& result) {
  static const Finding kNone;
  EXPECT_EQ(result.report.findings().size(), 1u) << Messages(result.report);
  return result.report.findings().empty() ? kNone : result.report.findings()[0];
}

// The finding of a code.
const Finding& Find(const LoadResult& result, LintCode code) {
  static const Finding kNone{.severity = Severity::kInfo};
  for (const Finding& finding : result.report.findings()) {
    if (finding.code == code) return finding;
  }
  ADD_FAILURE() << "not found among\n" << Messages(result.report);
  return kNone;
}

TEST(MassChecks, WhatIsFixedToTheBaseCannotChangeAnAnswer) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kLenient}) {
    const LoadResult result = ArmAnd(Antenna(), "base", validation);
    ASSERT_NE(result.model, nullptr) << Messages(result.report);
    const Finding& finding = Find(result, LintCode::kNegativeInertia);
    EXPECT_EQ(finding.severity, Severity::kWarning);
    EXPECT_EQ(finding.link, "part");
    EXPECT_THAT(finding.message, HasSubstr("enters no quantity"));
  }
  const LoadResult strict = ArmAnd(Antenna(), "base", Validation::kStrict);
  EXPECT_EQ(strict.model, nullptr);
  EXPECT_THAT(Find(strict, LintCode::kNegativeInertia).message,
              HasSubstr("validation default"));
  // A negative mass, too.
  const LoadResult mass = ArmAnd(Tensor(-1, {1, 0, 0, 1, 0, 1}), "base");
  ASSERT_NE(mass.model, nullptr) << Messages(mass.report);
  EXPECT_EQ(Find(mass, LintCode::kNegativeMass).severity, Severity::kWarning);
}

TEST(MassChecks, BehindAJointTheSameMomentIsAnError) {
  const LoadResult moved = ArmAnd(Antenna(), "arm");
  EXPECT_EQ(moved.model, nullptr);
  EXPECT_THAT(Only(moved).message, HasSubstr("or use validation lenient"));
  EXPECT_EQ(ArmAnd(Antenna(), "arm", Validation::kStrict).model, nullptr);
  EXPECT_NE(ArmAnd(Antenna(), "arm", Validation::kLenient).model, nullptr);
}

TEST(MassChecks, DustOnAZeroTensorIsNoFinding) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    const LoadResult result = Build(
        {MasslessLink("base"),
         Tensor(1.33687, {0, 0, 2.40741e-35, 0, 0, 0}, {0.0185, -0.1108, 0})},
        {JointOf("neck", JointKind::kContinuous, "base", "part")},
        With(validation));
    EXPECT_NE(result.model, nullptr);
    EXPECT_THAT(result.report.findings(), IsEmpty()) << Messages(result.report);
  }
  // Of a triangle inequality as well: a rod of no moments but rounding.
  EXPECT_THAT(ArmAnd(Tensor(1, {1e-18, 0, 0, 1e-21, 0, 0}, {0.1, 0, 0}), "arm")
                  .report.findings(),
              IsEmpty());
}

TEST(MassChecks, AnErrorBeforeTheLinkLeavesOpenWhetherItIsFixed) {
  const auto severity = [](const LoadResult& result) {
    EXPECT_EQ(result.model, nullptr);
    return Find(result, LintCode::kNegativeInertia).severity;
  };
  // A link that no joint knows: there is no tree.
  EXPECT_EQ(severity(ArmAnd(Antenna(), "amr")), Severity::kError);
  // A joint that may be another one, and one that is not before the link.
  const auto built = [&](bool before) {
    JointDescription turn =
        JointOf("turn", JointKind::kContinuous, "base", "arm");
    JointDescription weld = JointOf("weld", JointKind::kFixed, "base", "part");
    (before ? weld : turn).incomplete = true;
    ModelBuilder builder("test");
    builder.AddFinding({.severity = Severity::kError,
                        .code = LintCode::kInvalidNumber,
                        .message = "not a number"});
    for (const LinkDescription& link :
         {MasslessLink("base"), Link("arm", 2, {0.3, 0, 0}), Antenna()}) {
      builder.AddLink(link);
    }
    builder.AddJoint(turn);
    builder.AddJoint(weld);
    return severity(builder.Build());
  };
  EXPECT_EQ(built(true), Severity::kError);
  EXPECT_EQ(built(false), Severity::kWarning);
}

TEST(MassChecks, MomentsThatWereNotAllReadAreNotJudged) {
  LinkDescription part = Tensor(1, {0, 0.1, 0, 0.1, 0, 0.1});  // no ixx
  part.incomplete = true;
  ModelBuilder builder("test");
  builder.AddFinding({.severity = Severity::kError,
                      .code = LintCode::kInvalidNumber,
                      .message = "ixx is no number"});
  builder.AddLink(MasslessLink("base"));
  builder.AddLink(part);
  builder.AddJoint(JointOf("turn", JointKind::kContinuous, "base", "part"));
  const LoadResult result = builder.Build(With(Validation::kDefault));
  EXPECT_EQ(Only(result).code, LintCode::kInvalidNumber);
}

TEST(MassChecks, ANegativeMassBehindAMovableJointIsAnErrorInAnyCase) {
  // Neither the mass beside it nor the axis of the joint could be read.
  LinkDescription arm = Link("arm", 0, {0.3, 0, 0}, {0, 0, 0});
  arm.incomplete = true;
  JointDescription turn =
      JointOf("turn", JointKind::kContinuous, "base", "arm");
  turn.incomplete = true;
  ModelBuilder builder("test");
  builder.AddFinding({.severity = Severity::kError,
                      .code = LintCode::kInvalidNumber,
                      .message = "not a number"});
  builder.AddLink(MasslessLink("base"));
  builder.AddLink(arm);
  builder.AddLink(Tensor(-1, {1, 0, 0, 1, 0, 1}));
  builder.AddJoint(turn);
  builder.AddJoint(JointOf("weld", JointKind::kFixed, "arm", "part"));
  EXPECT_EQ(
      Find(builder.Build(With(Validation::kDefault)), LintCode::kNegativeMass)
          .severity,
      Severity::kError);
}

TEST(MassChecks, LenientTakesWhatItCanComputeAndNamesTheLink) {
  const LinkDescription odd = Tensor(3, {0.1, 0.2, 0, 0.1, 0, 0.1});
  const LoadResult refused = ArmAnd(odd, "arm");
  EXPECT_EQ(refused.model, nullptr);
  EXPECT_THAT(Only(refused).message, HasSubstr("or use validation lenient"));
  const LoadResult taken = ArmAnd(odd, "arm", Validation::kLenient);
  ASSERT_NE(taken.model, nullptr) << Messages(taken.report);
  EXPECT_EQ(Only(taken).severity, Severity::kWarning);
  EXPECT_EQ(Only(taken).link, "part");
}

TEST(MassChecks, LenientRefusesASingularMassMatrixAndNamesTheJoint) {
  // A negative mass takes away all inertia about the axis, and more.
  const LoadResult result = ArmAnd(Tensor(-3, {0, 0, 0, 0, 0, 0}, {1, 0, 0}),
                                   "arm", Validation::kLenient);
  EXPECT_EQ(result.model, nullptr);
  const Finding& finding = Find(result, LintCode::kMasslessJoint);
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.joint, "turn");
  // A joint that moves nothing at all is no matter of judgement.
  const LoadResult empty = Build(
      {MasslessLink("base"), Link("arm", 1, {1, 0, 0}), MasslessLink("finger")},
      {JointOf("turn", JointKind::kContinuous, "base", "arm"),
       JointOf("grip", JointKind::kPrismatic, "arm", "finger")},
      With(Validation::kLenient));
  EXPECT_EQ(empty.model, nullptr);
  EXPECT_EQ(Only(empty).joint, "grip");
  EXPECT_THAT(Only(empty).message, HasSubstr("armature"));
}

// Two links, the second of which is less than nothing where the elbow is bent:
// M_11 = 1.1 - 2 sin² q_2, M_12 = 0, M_22 = 3.
LoadResult BentElbow() {
  return Build({MasslessLink("base"), Link("upper", 1, {0, 0, 0}, {1, 1, 1}),
                Tensor(-2, {0, 0, 0, 0, 0, 0}, {0, 0, 1}),
                Link("tool", 1, {0, 0, 0}, {5, 0.1, 0.1})},
               {JointOf("shoulder", JointKind::kContinuous, "base", "upper"),
                JointOf("elbow", JointKind::kContinuous, "upper", "part",
                        {0, 0, 0}, {1, 0, 0}),
                JointOf("weld", JointKind::kFixed, "part", "tool")},
               With(Validation::kLenient));
}

TEST(MassChecks, LenientLooksAtRandomStatesToo) {
  const LoadResult result = BentElbow();
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(Count(result.report, LintCode::kMasslessJoint), 1);
  EXPECT_EQ(result.report.errors(), 1) << Messages(result.report);
  const Finding& finding = Find(result, LintCode::kMasslessJoint);
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.joint, "shoulder");
  EXPECT_THAT(finding.message, HasSubstr("at a random state"));
}

TEST(MassChecks, LenientTakesAJointWithHardlyAnyInertia) {
  // Below what the default calls moving, above what computing loses.
  for (const auto& [validation, taken] :
       {std::pair(Validation::kDefault, false), {Validation::kLenient, true}}) {
    const LoadResult result =
        Build({MasslessLink("base"), Link("rod", 1, {0, 0, 0}, {1, 1, 1e-13})},
              {JointOf("turn", JointKind::kContinuous, "base", "rod")},
              With(validation));
    EXPECT_EQ(result.model != nullptr, taken) << Messages(result.report);
    EXPECT_EQ(Only(result).code, LintCode::kMasslessJoint);
    EXPECT_EQ(Only(result).severity,
              taken ? Severity::kWarning : Severity::kError);
  }
}

TEST(MassChecks, LenientTakesWhatTheDefaultTakes) {
  // Two joints on one axis with nothing between: singular everywhere, of which
  // the default only warns.
  for (const Validation validation :
       {Validation::kDefault, Validation::kLenient}) {
    const LoadResult result = Build(
        {MasslessLink("base"), MasslessLink("ring"), Link("arm", 1, {1, 0, 0})},
        {JointOf("a", JointKind::kContinuous, "base", "ring"),
         JointOf("b", JointKind::kContinuous, "ring", "arm")},
        With(validation));
    EXPECT_NE(result.model, nullptr) << Messages(result.report);
    EXPECT_EQ(Only(result).code, LintCode::kIllConditionedMass);
  }
}

TEST(MassChecks, LenientEndsWhenCancelled) {
  BuildOptions options = With(Validation::kLenient);
  int asked = 0;
  options.cancelled = [&asked] { return ++asked == 3; };
  const LoadResult result =
      Build({MasslessLink("base"), Link("arm", 2, {0.3, 0, 0}),
             Tensor(3, {0.1, 0.2, 0, 0.1, 0, 0.1})},
            {JointOf("turn", JointKind::kContinuous, "base", "arm"),
             JointOf("weld", JointKind::kFixed, "arm", "part")},
            options);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(asked, 3);
}

TEST(MassChecks, WhatCannotBeComputedIsRefusedByAll) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    const LoadResult result = ArmAnd(
        Tensor(1, {std::numeric_limits<double>::infinity(), 0, 0, 1, 0, 1}),
        "base", validation);
    EXPECT_EQ(result.model, nullptr);
    EXPECT_EQ(Find(result, LintCode::kInvalidNumber).severity,
              Severity::kError);
  }
}

TEST(Validation, NamesReadBack) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    EXPECT_EQ(FindValidation(ToString(validation)), validation);
  }
  EXPECT_FALSE(FindValidation("Strict"));
  EXPECT_FALSE(FindValidation(""));
}

}  // namespace
}  // namespace torqued
