// Calls that do not wait, to the real server.
#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "tests/client/live_server.h"

namespace torqued::client {
namespace {

constexpr std::initializer_list<v1::Quantity> kQuantities = {
    v1::QUANTITY_INVERSE_DYNAMICS, v1::QUANTITY_OPERATIONAL_SPACE};

void ExpectTheSame(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_TRUE(SameBits(a.tau, b.tau));
  EXPECT_TRUE(SameBits(a.lambda, b.lambda));
  EXPECT_TRUE(SameBits(a.eta, b.eta));
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.rule, b.rule);
  EXPECT_EQ(a.rows_not_ok, b.rows_not_ok);
  ASSERT_EQ(a.row_status.size(), b.row_status.size());
  for (std::size_t k = 0; k < a.row_status.size(); ++k) {
    EXPECT_EQ(a.row_status[k].SerializeAsString(),
              b.row_status[k].SerializeAsString());
  }
  EXPECT_EQ(a.echo.revision(), b.echo.revision());
}

TEST_F(LiveServer, ComputesTheSameBitsWithoutWaiting) {
  for (const Eigen::Index rows : {1, 100, 30'000}) {
    Batch q = Random(rows, 7, 31);
    if (rows > 1) q(rows / 2, 3) = std::numeric_limits<double>::quiet_NaN();
    const States states{.q = q, .v = Random(rows, 7, 32)};
    PendingEvaluation pending =
        client_->ComputeAsync("panda", kQuantities, states);
    ExpectTheSame(pending.Get(),
                  client_->Compute("panda", kQuantities, states));
  }
}

TEST_F(LiveServer, AnswersAThousandCallsInFlight) {
  const Batch q = Random(1000, 7, 33);
  const Batch wanted =
      client_->Compute("panda", {v1::QUANTITY_GRAVITY_FORCES}, {.q = q})
          .gravity;
  std::vector<PendingEvaluation> pending;
  pending.reserve(static_cast<std::size_t>(q.rows()));
  for (Eigen::Index k = 0; k < q.rows(); ++k) {
    pending.push_back(client_->ComputeAsync(
        "panda", {v1::QUANTITY_GRAVITY_FORCES}, {.q = q.row(k)}));
  }
  for (std::size_t k = 0; k < pending.size(); ++k) {
    EXPECT_TRUE(SameBits(pending[k].Get().gravity,
                         wanted.row(static_cast<Eigen::Index>(k))));
  }
}

TEST_F(LiveServer, KeepsApartWhatSeveralThreadsBegin) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 40; seed < 44; ++seed) {
    threads.emplace_back([seed] {
      for (const Eigen::Index rows : {1, 3, 20'000, 7, 15'000}) {
        const States states{.q = Random(rows, 7, seed)};
        PendingEvaluation pending = client_->ComputeAsync(
            "panda", {v1::QUANTITY_GRAVITY_FORCES}, states);
        const Batch wanted =
            client_->Compute("panda", {v1::QUANTITY_GRAVITY_FORCES}, states)
                .gravity;
        EXPECT_TRUE(SameBits(pending.Get().gravity, wanted));
      }
    });
  }
}

TEST_F(LiveServer, TellsACallThatDoesNotWaitWhatIsWrong) {
  PendingEvaluation pending = client_->ComputeAsync(
      "panda", {v1::QUANTITY_GRAVITY_FORCES}, {.q = Batch::Zero(1, 6)});
  try {
    pending.Get();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::WRONG_COLUMN_COUNT);
    ASSERT_EQ(error.details().field_violations.size(), 1u);
    EXPECT_EQ(error.details().field_violations[0].field, "q");
  }
}

}  // namespace
}  // namespace torqued::client
