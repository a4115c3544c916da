#include "server/errors/error.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace torqued::server {
namespace {

struct Decoded {
  v1::Status status;
  v1::ErrorInfo info;
  std::optional<v1::BadRequest> bad;
  std::optional<v1::RetryInfo> retry;
};

Decoded Decode(const grpc::Status& status) {
  Decoded decoded;
  EXPECT_TRUE(decoded.status.ParseFromString(status.error_details()));
  for (const auto& any : decoded.status.details()) {
    const std::string prefix = "type.googleapis.com/google.rpc.";
    EXPECT_TRUE(any.type_url().starts_with(prefix)) << any.type_url();
    const std::string name = any.type_url().substr(prefix.size());
    if (name == "ErrorInfo") {
      EXPECT_TRUE(decoded.info.ParseFromString(any.value()));
    } else if (name == "BadRequest") {
      EXPECT_TRUE(decoded.bad.emplace().ParseFromString(any.value()));
    } else {
      EXPECT_EQ(name, "RetryInfo");
      EXPECT_TRUE(decoded.retry.emplace().ParseFromString(any.value()));
    }
  }
  return decoded;
}

TEST(StatusTest, CarriesReasonMetadataAndViolations) {
  Error error = FieldError(v1::WRONG_COLUMN_COUNT, "q", "expected 6");
  error.metadata = {{"model", "ur5e"}};
  const grpc::Status status = ToStatus(error);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "q: expected 6");
  const Decoded decoded = Decode(status);
  EXPECT_EQ(decoded.status.code(), 3);
  EXPECT_EQ(decoded.status.message(), "q: expected 6");
  EXPECT_EQ(decoded.info.reason(), "WRONG_COLUMN_COUNT");
  EXPECT_EQ(decoded.info.domain(), "torqued");
  EXPECT_EQ(decoded.info.metadata().at("model"), "ur5e");
  EXPECT_FALSE(decoded.info.metadata().contains("violations"));
  ASSERT_TRUE(decoded.bad);
  ASSERT_EQ(decoded.bad->field_violations_size(), 1);
  EXPECT_EQ(decoded.bad->field_violations(0).field(), "q");
  EXPECT_EQ(decoded.bad->field_violations(0).description(), "expected 6");
  EXPECT_FALSE(decoded.retry);
}

TEST(StatusTest, RetryDelayIsExact) {
  Error error;
  error.reason = v1::OVERLOADED;
  error.retry_after = std::chrono::milliseconds(1250);
  const Decoded decoded = Decode(ToStatus(error));
  ASSERT_TRUE(decoded.retry);
  EXPECT_EQ(decoded.retry->retry_delay().seconds(), 1);
  EXPECT_EQ(decoded.retry->retry_delay().nanos(), 250'000'000);
}

Error Worst(std::size_t violations, const std::string& text) {
  Error error;
  error.reason = v1::INVALID_MODEL_REFERENCE;
  error.message = text;
  error.retry_after = std::chrono::hours(1'000'000);
  for (std::size_t i = 0; i < violations; ++i) {
    error.violations.push_back({text, text});
  }
  for (int i = 0; i < 100; ++i) {
    error.metadata.emplace_back(std::to_string(i), text);
  }
  return error;
}

TEST(StatusTest, DetailsStayBelowFourKilobytes) {
  for (const std::size_t length : {0, 1, 10, 63, 100, 300, 511, 5000, 50'000}) {
    for (const std::size_t violations : {0, 1, 2, 7, 30, 100, 3000}) {
      for (const char* character : {"x", "\xE4\xB8\xAD", "\xFF"}) {
        std::string text;
        while (text.size() < length) text += character;
        const grpc::Status status = ToStatus(Worst(violations, text));
        EXPECT_LT(status.error_details().size(), kMaxDetailsBytes)
            << length << " " << violations;
        EXPECT_LE(status.error_message().size(), 512u);
        const Decoded decoded = Decode(status);
        EXPECT_EQ(decoded.info.reason(), "INVALID_MODEL_REFERENCE");
        EXPECT_TRUE(decoded.retry);
        // Room is left for the first finding, whatever the rest takes.
        EXPECT_EQ(decoded.bad.has_value(), violations > 0);
      }
    }
  }
}

TEST(StatusTest, EveryReasonHasItsCode) {
  const auto* reasons = v1::Reason_descriptor();
  for (int i = 0; i < reasons->value_count(); ++i) {
    const auto reason = static_cast<v1::Reason>(reasons->value(i)->number());
    if (reason == v1::REASON_UNSPECIFIED || reason == v1::INTERNAL_ERROR) {
      EXPECT_EQ(CodeOf(reason), grpc::StatusCode::INTERNAL);
    } else {
      EXPECT_NE(CodeOf(reason), grpc::StatusCode::INTERNAL)
          << reasons->value(i)->name();
    }
  }
  EXPECT_EQ(CodeOf(v1::MODEL_NOT_FOUND), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(CodeOf(v1::MODEL_BROKEN), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(CodeOf(v1::REVISION_CONFLICT),
            grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(CodeOf(v1::REQUEST_TOO_LARGE),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(CodeOf(v1::OVERLOADED), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(CodeOf(v1::QUOTA_REACHED), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(CodeOf(v1::DRAINING), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(CodeOf(v1::STORE_UNAVAILABLE), grpc::StatusCode::UNAVAILABLE);
}

TEST(CleanTextTest, BytesThatAreNoTextAreReplacedOneByOne) {
  EXPECT_EQ(CleanText("a\xFF\xC3", 100), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xC0\xAF", 100), "\xEF\xBF\xBD\xEF\xBF\xBD")
      << "overlong";
  EXPECT_EQ(CleanText("\xE0\x80\x80", 100).size(), 9u) << "overlong";
  EXPECT_EQ(CleanText("\xF0\x80\x80\x80", 100).size(), 12u) << "overlong";
  EXPECT_EQ(CleanText("\xED\xA0\x80", 100),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")
      << "surrogate";
  EXPECT_EQ(CleanText("\xF4\x90\x80\x80", 100).size(), 12u)
      << "beyond U+10FFFF";
}

TEST(CleanTextTest, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xE4\xB8\xAD";
  for (std::size_t limit = 3; limit < 40; ++limit) {
    const std::string cut = CleanText(text, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_EQ(CleanText(cut, 1000), cut) << "still valid";
    EXPECT_TRUE(cut.ends_with("..."));
    EXPECT_EQ(cut.size() % 3, 0u);
  }
}

TEST(CleanTextTest, TheMarkFitsHoweverLongTheLastCharacterIs) {
  EXPECT_EQ(CleanText("abcdef", 6), "abcdef");
  EXPECT_EQ(CleanText("abcdefg", 6), "abc...");
  EXPECT_EQ(CleanText("abcde\xF0\x9F\xA6\xBE", 6), "abc...");
}

}  // namespace
}  // namespace torqued::server
