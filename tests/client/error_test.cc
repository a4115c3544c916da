#include "client/cpp/error.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace torqued::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

template <class Message>
void Pack(const Message& message, const std::string& url, v1::Status* status) {
  google::protobuf::Any* any = status->add_details();
  any->set_type_url(url);
  any->set_value(message.SerializeAsString());
}

v1::ErrorInfo Info(const std::string& reason) {
  v1::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain("torqued");
  return info;
}

grpc::Status With(v1::Status details) {
  details.set_code(grpc::StatusCode::INVALID_ARGUMENT);
  return {grpc::StatusCode::INVALID_ARGUMENT, "no good",
          details.SerializeAsString()};
}

TEST(Error, HasReasonMetadataViolationsAndRetryDelay) {
  v1::Status details;
  v1::ErrorInfo info = Info("WRONG_COLUMN_COUNT");
  (*info.mutable_metadata())["model"] = "arm";
  Pack(info, "type.googleapis.com/google.rpc.ErrorInfo", &details);
  v1::BadRequest bad_request;
  auto* violation = bad_request.add_field_violations();
  violation->set_field("q");
  violation->set_description("expected 7 columns");
  bad_request.add_field_violations()->set_field("v");
  Pack(bad_request, "type.googleapis.com/google.rpc.BadRequest", &details);
  v1::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  Pack(retry, "type.googleapis.com/google.rpc.RetryInfo", &details);

  const Error error = DecodeError(With(details));

  EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
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
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  any->set_value("\xFF\xFF\xFF");
  Pack(Info("MODEL_NOT_FOUND"), "type.googleapis.com/unrelated.Message",
       &details);

  for (const grpc::Status& status :
       {With(details), grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                                    "no good", "\xFF garbage")}) {
    const Error error = DecodeError(status);
    EXPECT_EQ(error.code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "no good");
    EXPECT_EQ(error.reason(), v1::REASON_UNSPECIFIED);
    EXPECT_THAT(error.details().field_violations, IsEmpty());
  }
}

TEST(Error, IgnoresDetailsOfAnotherCode) {
  v1::Status details;
  details.set_code(grpc::StatusCode::UNAVAILABLE);
  Pack(Info("DRAINING"), "type.googleapis.com/google.rpc.ErrorInfo", &details);
  for (const bool same : {true, false}) {
    const auto code = same ? grpc::StatusCode::UNAVAILABLE
                           : grpc::StatusCode::DEADLINE_EXCEEDED;
    const Error error =
        DecodeError({code, "too late", details.SerializeAsString()});
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.reason(), same ? v1::DRAINING : v1::REASON_UNSPECIFIED);
  }
}

TEST(Error, KeepsTheNameOfAReasonFromALaterVersion) {
  v1::Status details;
  Pack(Info("MOON_TOO_FULL"), "type.googleapis.com/google.rpc.ErrorInfo",
       &details);
  const Error error = DecodeError(With(details));
  EXPECT_EQ(error.reason(), v1::REASON_UNSPECIFIED);
  EXPECT_EQ(error.details().reason, "MOON_TOO_FULL");
}

}  // namespace
}  // namespace torqued::client
