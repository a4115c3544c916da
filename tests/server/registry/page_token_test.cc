#include "server/registry/page_token.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

TEST(PageToken, ReadsBack) {
  for (const std::string& name :
       {std::string("a"), std::string("ur5e_2.x-Z"), std::string(128, 'n')}) {
    EXPECT_EQ(DecodePageToken(EncodePageToken(name)), name);
  }
}

TEST(PageToken, AnythingElseIsRefused) {
  const std::string token = EncodePageToken("ur5e");
  EXPECT_FALSE(DecodePageToken(""));
  EXPECT_FALSE(DecodePageToken("1"));
  EXPECT_FALSE(DecodePageToken(token.substr(1)));
  EXPECT_FALSE(DecodePageToken('2' + token.substr(1)));
  EXPECT_FALSE(DecodePageToken(token + "0"));
  EXPECT_FALSE(DecodePageToken(token + "zz"));
  EXPECT_FALSE(DecodePageToken(token + "00"));  // no name holds NUL
}

}  // namespace
}  // namespace torqued::server
