#include "server/observability/request_id.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace torqued::server {
namespace {

TEST(RequestIdTest, AUsableIdIsKept) {
  EXPECT_EQ(RequestIdFrom("trace-42/a:b"), "trace-42/a:b");
  EXPECT_EQ(RequestIdFrom(std::string(128, 'x')), std::string(128, 'x'));
}

TEST(RequestIdTest, AnythingElseIsReplaced) {
  for (const std::string& wanted :
       {std::string(), std::string("a b"), std::string("a\nb"),
        std::string("\xC3\xA9"), std::string(129, 'x'), std::string("\x7f")}) {
    const std::string id = RequestIdFrom(wanted);
    EXPECT_EQ(id.size(), 16u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(RequestIdTest, NewIdsDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.insert(RequestIdFrom(""));
  EXPECT_EQ(ids.size(), 10'000u);
}

}  // namespace
}  // namespace torqued::server
