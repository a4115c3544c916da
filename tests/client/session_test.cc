#include "client/cli/session.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

namespace torqued::cli {
namespace {

using ::testing::EndsWith;

const client::Error kOverloaded(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                "Too many rows.", {"OVERLOADED", {}, {}, {}});

GlobalFlags Flags(bool quiet, const std::string& server = "unused") {
  GlobalFlags flags;
  flags.server = server;
  flags.quiet = quiet;
  return flags;
}

class SessionTest : public ::testing::Test {
 protected:
  explicit SessionTest(bool quiet = false, const std::string& server = "unused")
      : session_(Flags(quiet, server), out_, err_, out_) {}

  std::ostringstream out_;
  std::ostringstream err_;
  Session session_;
};

class QuietSessionTest : public SessionTest {
 protected:
  QuietSessionTest() : SessionTest(/*quiet=*/true) {}
};

class LocalSessionTest : public SessionTest {
 protected:
  LocalSessionTest() : SessionTest(/*quiet=*/false, /*server=*/"") {}
};

TEST_F(SessionTest, ThatItWaitsIsToldOnceWithTheReason) {
  session_.RemarkWaiting(kOverloaded);
  EXPECT_EQ(err_.str(),
            "torquectl: waiting to try again, within the timeout of 30 s: "
            "OVERLOADED: Too many rows.\n");
  err_.str("");
  session_.RemarkWaiting(kOverloaded);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(LocalSessionTest, NoWaitIsToldForALocalServerThatHasEnded) {
  session_.RemarkWaiting({grpc::StatusCode::UNAVAILABLE, "reset"});
  EXPECT_EQ(err_.str(), "");
  session_.RemarkWaiting(kOverloaded);
  EXPECT_THAT(err_.str(), EndsWith("OVERLOADED: Too many rows.\n"));
}

TEST_F(QuietSessionTest, NothingIsTold) {
  session_.RemarkWaiting(kOverloaded);
  session_.Remark("hello");
  EXPECT_EQ(err_.str(), "");
}

}  // namespace
}  // namespace torqued::cli
