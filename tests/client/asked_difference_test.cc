#include "client/cli/check/asked_difference.h"

#include <gmock/gmock.h>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto Differs(const char* what, const char* before, const char* after) {
  return AllOf(Field("what", &AskedDifference::what, what),
               Field("before", &AskedDifference::before, before),
               Field("after", &AskedDifference::after, after));
}

TEST(AskedDifferences, AreToldByTheMembersThatDiffer) {
  const Json before = Json::parse(R"({"revision": "a", "asked": {"model": "@a",
    "derating": 1, "options": {"payload": {"mass": 1, "frame": "tip"}},
    "position_limits": [{"coordinate": "b", "upper": 1}, {"coordinate": "a", "upper": 2}]}})");
  const Json after = Json::parse(R"({"revision": "c", "asked": {"model": "@c",
    "options": {"payload": {"mass": 2, "frame": "tip"}}, "derating": 1,
    "position_limits": [{"coordinate": "a", "upper": 2, "lower": 0}], "newer": [1, 2]}})");
  EXPECT_THAT(AskedDifferences(before, before), IsEmpty());
  const auto differences = AskedDifferences(before, after);
  EXPECT_THAT(
      differences,
      ElementsAre(Differs("asked.position_limits.a.lower", "none", "0"),
                  Differs("asked.position_limits.b", R"({"upper":1})", "none"),
                  Differs("asked.newer", "none", "[1,2]"),
                  Differs("asked.options.payload.mass", "1", "2"),
                  Differs("revision", "a", "c")));
  EXPECT_THAT(DifferentMembers(differences),
              ElementsAre("asked.position_limits", "asked.newer",
                          "asked.options", "revision"));
}

}  // namespace
}  // namespace torqued::cli
