#include "server/config/validators.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

TEST(ValidatorsTest, AddressesHaveHostAndPortOrAPath) {
  for (const char* text : {"127.0.0.1:0", "localhost:65535", "[::1]:80",
                           "0.0.0.0:7421", "unix:/run/s", "unix:s"}) {
    EXPECT_EQ(CheckAddress(text, 0), "") << text;
  }
  for (const char* text :
       {"", "localhost", ":80", "h:", "h:x", "h:65536", "h:-1", "::1:80",
        "unix:", "http://h:80", "h h:1", "h:080"}) {
    EXPECT_NE(CheckAddress(text, 0), "") << text;
  }
  EXPECT_NE(CheckAddress("127.0.0.1:0", 1), "");
}

}  // namespace
}  // namespace torqued::server
