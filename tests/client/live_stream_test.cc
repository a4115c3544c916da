// Streams that stay open, to the real server.
#include <gmock/gmock.h>

#include <thread>

#include "tests/client/live_server.h"

namespace torqued::client {
namespace {

constexpr std::initializer_list<v1::Quantity> kQuantities = {
    v1::QUANTITY_INVERSE_DYNAMICS, v1::QUANTITY_OPERATIONAL_SPACE};

States RowsOf(const States& states, Eigen::Index first, Eigen::Index count) {
  return {.q = states.q.middleRows(first, count),
          .v = states.v.middleRows(first, count)};
}

void ExpectRowsOf(const Evaluation& whole, Eigen::Index first,
                  const Evaluation& part) {
  EXPECT_TRUE(SameBits(part.tau, whole.tau.middleRows(first, part.rows)));
  EXPECT_TRUE(SameBits(part.lambda, whole.lambda.middleRows(first, part.rows)));
  EXPECT_TRUE(SameBits(part.eta, whole.eta.middleRows(first, part.rows)));
  EXPECT_EQ(part.echo.revision(), whole.echo.revision());
}

TEST_F(LiveServer, GivesAnOpenStreamTheSameBits) {
  const States states{.q = Random(900, 7, 51), .v = Random(900, 7, 52)};
  const Evaluation whole = client_->Compute("panda", kQuantities, states);
  EvaluationStream stream = client_->OpenStream("panda", kQuantities);
  Eigen::Index first = 0;
  for (Eigen::Index count = 1; first + count <= 900; count += 7) {
    ExpectRowsOf(whole, first, stream.Exchange(RowsOf(states, first, count)));
    first += count;
  }
  stream.Finish();
}

TEST_F(LiveServer, KeepsAWindowOfChunksUnderWay) {
  constexpr Eigen::Index kChunks = 200, kRows = 100;
  const States states{.q = Random(kChunks * kRows, 7, 53),
                      .v = Random(kChunks * kRows, 7, 54)};
  const Evaluation whole = client_->Compute("panda", kQuantities, states);
  EvaluationStream stream = client_->OpenStream("panda", kQuantities);
  std::jthread writer([&] {
    for (Eigen::Index k = 0; k < kChunks; ++k) {
      stream.Write(RowsOf(states, k * kRows, kRows));
    }
    stream.EndWriting();
  });
  Eigen::Index row = 0;
  while (const auto part = stream.Read()) {
    ExpectRowsOf(whole, row, *part);
    row += part->rows;
  }
  EXPECT_EQ(row, kChunks * kRows);
}

TEST_F(LiveServer, CountsTheRowsOfAChunkFromItsStart) {
  EvaluationStream stream =
      client_->OpenStream("planar_2r", {v1::QUANTITY_INVERSE_DYNAMICS});
  EXPECT_TRUE(stream.Exchange({.q = Batch::Zero(10, 2)}).ok());
  Batch q = Batch::Zero(10, 2);
  q(4, 1) = std::numeric_limits<double>::infinity();
  const Evaluation part = stream.Exchange({.q = q});
  EXPECT_EQ(part.rows_not_ok, 1);
  ASSERT_EQ(part.row_status.size(), 1u);
  EXPECT_EQ(part.row_status[0].row(), 4u);
  EXPECT_TRUE(stream.Exchange({.q = Batch::Zero(10, 2)}).ok());
}

TEST_F(LiveServer, SaysWhereAnOpenStreamStopped) {
  EvaluationStream stream =
      client_->OpenStream("planar_2r", {v1::QUANTITY_INVERSE_DYNAMICS});
  stream.Exchange({.q = Batch::Zero(10, 2)});
  try {
    stream.Exchange({.q = Batch::Zero(10, 3)});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::WRONG_COLUMN_COUNT);
    EXPECT_EQ(error.details().metadata.at("next_row"), "10");
    EXPECT_EQ(error.details().field_violations.at(0).field, "chunk.q");
  }
  EvaluationStream unknown =
      client_->OpenStream("nobody", {v1::QUANTITY_INVERSE_DYNAMICS});
  try {
    unknown.Read();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::MODEL_NOT_FOUND);
  }
}

}  // namespace
}  // namespace torqued::client
