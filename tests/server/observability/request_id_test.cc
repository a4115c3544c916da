#include "server/observability/logging.h"

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

// The example of the recommendation.
constexpr std::string_view kTrace =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceTest, BothIdsOfATraceparentAreTaken) {
  const TraceContext trace = TraceFrom(kTrace);
  EXPECT_EQ(trace.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace.parent_id, "00f067aa0ba902b7");
}

TEST(TraceTest, AnythingElseIsIgnored) {
  const std::string good(kTrace);
  const std::string zero(32, '0');
  for (const std::string& wrong :
       {std::string(), good.substr(1), good + "-00", "01" + good.substr(2),
        "00-4BF9" + good.substr(7), "00_" + good.substr(3),
        "00-" + zero + good.substr(35),
        good.substr(0, 36) + zero.substr(0, 16) + "-01"}) {
    EXPECT_EQ(TraceFrom(wrong).trace_id, "") << wrong;
    EXPECT_EQ(TraceFrom(wrong).parent_id, "") << wrong;
  }
}

}  // namespace
}  // namespace torqued::server
