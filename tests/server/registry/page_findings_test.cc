#include "server/registry/page_findings.h"

#include <gmock/gmock.h>

namespace torqued::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PageFindings, EachLineIsAFinding) {
  EXPECT_THAT(PageFindings("ok"), IsEmpty());
  EXPECT_THAT(
      PageFindings("*** in database main ***\n"
                   "Tree 3 page 5: btreeInitPage() returns error code "
                   "11\nPage 6: never used\n"),
      ElementsAre("Tree 3 page 5: btreeInitPage() returns error code 11",
                  "Page 6: never used"));
  EXPECT_THAT(PageFindings("row 1 missing from index i"),
              ElementsAre("row 1 missing from index i"));
}

TEST(PageFindings, DamageWithoutWordsIsDamage) {
  EXPECT_THAT(PageFindings(""), ElementsAre(""));
  EXPECT_THAT(PageFindings("*** in database main ***"),
              ElementsAre("*** in database main ***"));
}

}  // namespace
}  // namespace torqued::server
