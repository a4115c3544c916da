#include "client/cpp/rows.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace torqued::client {
namespace {

TEST(RowsPerCall, KeepsBothMessagesUnderTheLimit) {
  for (const std::int64_t limit : {1 << 20, 4 << 20, 64 << 20}) {
    for (const std::int64_t request : {8, 168, 1056, 20'000}) {
      for (const std::int64_t reply : {8, 56, 392, 15'488, 40'000}) {
        const std::int64_t rows = RowsPerCall(request, reply, limit);
        EXPECT_GE(rows, 1);
        EXPECT_LE(rows * request + kMessageOverheadBytes, limit);
        EXPECT_LE(rows * reply + kMessageOverheadBytes, limit);
      }
    }
  }
}

TEST(RowsPerCall, IsOneRowWhereNotEvenThatFits) {
  EXPECT_EQ(RowsPerCall(1 << 20, 8, 4096), 1);
}

TEST(RowsPerCall, IsFiniteForRowsOfNoBytes) {
  EXPECT_GE(RowsPerCall(0, 0, 4 << 20), 1);
}

constexpr auto kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;

Error Refusal(grpc::StatusCode code, const std::string& reason,
              std::map<std::string, std::string> metadata = {}) {
  Error::Details details;
  details.reason = reason;
  details.metadata = std::move(metadata);
  return Error(code, "a sentence", std::move(details));
}

TEST(FewerRows, AreThoseThatTheRefusalSaysOrHalf) {
  const std::string too_large = "REQUEST_TOO_LARGE";
  const auto fit = [&](const char* rows) {
    return Refusal(kExhausted, too_large, {{"rows_that_fit", rows}});
  };
  EXPECT_EQ(FewerRows(fit("1000"), 1024), 960);
  EXPECT_EQ(FewerRows(fit("63"), 1024), 63);
  EXPECT_EQ(FewerRows(fit("0"), 1024), std::nullopt);
  EXPECT_EQ(FewerRows(fit("-5"), 1024), std::nullopt);
  EXPECT_EQ(FewerRows(fit("1024"), 1024), std::nullopt)
      << "refused all the same";
  EXPECT_EQ(FewerRows(fit("many"), 1024), 512);
  EXPECT_EQ(FewerRows(Refusal(kExhausted, too_large), 1024), 512);
  EXPECT_EQ(FewerRows(Refusal(kExhausted, too_large), 3), 1);
  EXPECT_EQ(FewerRows(Refusal(kExhausted, too_large), 1), std::nullopt);
}

TEST(FewerRows, AreHalfWhereGrpcRefusesAMessageForItsSize) {
  for (const char* sentence :
       {"Received message larger than max (9259070 vs. 4194304)",
        "Sent message larger than max (9259070 vs. 4194304)",
        "SERVER: Received message larger than max (9259070 vs. 4194304)",
        "grpc: received message larger than max (9259070 vs. 4194304)",
        "trying to send message larger than max (9259070 vs. 4194304)",
        "gRPC message exceeds maximum size 4194304: 9259070",
        "Received message exceeds the maximum configured message size."}) {
    const Error error(kExhausted, sentence);
    EXPECT_EQ(FewerRows(error, 1024), 512) << sentence;
    EXPECT_EQ(FewerRows(error, 3), 1) << sentence;
    EXPECT_EQ(FewerRows(error, 1), std::nullopt) << sentence;
  }
}

TEST(FewerRows, DoNotHelpAgainstWhatElseGrpcRefuses) {
  for (const char* sentence :
       {"", "too much", "Bandwidth exhausted", "Max stream count exceeded",
        "Frame size 16777215 is larger than max frame size 1048576",
        "received initial metadata size exceeds limit (9000 vs. 8192).",
        "received trailing metadata size exceeds limit"}) {
    EXPECT_EQ(FewerRows(Error(kExhausted, sentence), 1024), std::nullopt)
        << sentence;
  }
  // Whatever the sentence says, the reason and the code count.
  const char* sentence = "Received message larger than max (2 vs. 1)";
  Error::Details overloaded;
  overloaded.reason = "OVERLOADED";
  EXPECT_EQ(FewerRows(Error(kExhausted, sentence, overloaded), 1024),
            std::nullopt);
  EXPECT_EQ(FewerRows(Error(grpc::StatusCode::INTERNAL, sentence), 1024),
            std::nullopt);
}

TEST(FewerRows, HelpAgainstNothingElse) {
  EXPECT_EQ(FewerRows(Refusal(kExhausted, "OVERLOADED"), 1024), std::nullopt);
  EXPECT_EQ(FewerRows(Refusal(grpc::StatusCode::INVALID_ARGUMENT,
                              "REQUEST_TOO_LARGE"),
                      1024),
            std::nullopt);
  Error::Details later;
  later.retry_delay = std::chrono::milliseconds(100);
  later.reason = "REQUEST_TOO_LARGE";
  EXPECT_EQ(FewerRows(Error(kExhausted, "", std::move(later)), 1024),
            std::nullopt);
}

}  // namespace
}  // namespace torqued::client
