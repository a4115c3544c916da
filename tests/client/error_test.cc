#include "client/cpp/error.h"

#include <gmock/gmock.h>

#include "tests/client/fake_server.h"
#include "torqued/v1/errors.pb.h"

namespace torqued::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr auto kInvalid = grpc::StatusCode::INVALID_ARGUMENT;

TEST(Error, HasReasonMetadataViolationsAndRetryDelay) {
  v1::Status details;
  details.ParseFromString(Failure(kInvalid, "WRONG_COLUMN_COUNT",
                                  std::chrono::milliseconds(2500),
                                  {{"model", "arm"}})
                              .error_details());
  v1::BadRequest bad_request;
  auto* violation = bad_request.add_field_violations();
  violation->set_field("q");
  violation->set_description("expected 7 columns");
  bad_request.add_field_violations()->set_field("v");
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.BadRequest");
  any->set_value(bad_request.SerializeAsString());

  const Error error =
      DecodeError({kInvalid, "no good", details.SerializeAsString()});

  EXPECT_EQ(error.code(), kInvalid);
  EXPECT_STREQ(error.what(), "no good");
  EXPECT_EQ(error.reason(), v1::WRONG_COLUMN_COUNT);
  EXPECT_THAT(error.details().metadata, ElementsAre(Pair("model", "arm")));
  ASSERT_EQ(error.details().field_violations.size(), 2u);
  EXPECT_EQ(error.details().field_violations[0].field, "q");
  EXPECT_EQ(error.details().field_violations[0].description,
            "expected 7 columns");
  EXPECT_EQ(error.details().retry_delay, std::chrono::milliseconds(2500));
}

TEST(Error, WithDamagedDetailsKeepsCodeAndMessage) {
  v1::Status details;
  details.set_code(kInvalid);
  for (const char* type : {"google.rpc.ErrorInfo", "unrelated.Message"}) {
    google::protobuf::Any* any = details.add_details();
    any->set_type_url(std::string("type.googleapis.com/") + type);
    any->set_value("\xFF\xFF\xFF");
  }
  for (const std::string& trailer :
       {details.SerializeAsString(), std::string("\xFF garbage")}) {
    const Error error = DecodeError({kInvalid, "no good", trailer});
    EXPECT_EQ(error.code(), kInvalid);
    EXPECT_STREQ(error.what(), "no good");
    EXPECT_EQ(error.reason(), v1::REASON_UNSPECIFIED);
    EXPECT_THAT(error.details().field_violations, IsEmpty());
  }
}

TEST(Error, IgnoresDetailsOfAnotherCode) {
  const grpc::Status other = Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
  const Error error = DecodeError(
      {grpc::StatusCode::DEADLINE_EXCEEDED, "too late", other.error_details()});
  EXPECT_EQ(error.code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(error.reason(), v1::REASON_UNSPECIFIED);
}

TEST(Error, KeepsTheNameOfAReasonFromALaterVersion) {
  const Error error = DecodeError(Failure(kInvalid, "MOON_TOO_FULL"));
  EXPECT_EQ(error.reason(), v1::REASON_UNSPECIFIED);
  EXPECT_EQ(error.details().reason, "MOON_TOO_FULL");
}

}  // namespace
}  // namespace torqued::client
