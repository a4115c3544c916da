// Batches of many calls, against a server whose answers the test decides.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "client/cpp/client.h"
#include "client/cpp/wire.h"
#include "tests/client/fake_server.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;

constexpr v1::Quantity kTorque[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr Eigen::Index kLarge = 50'000;
constexpr char kRevision[] = "0123456789";

Batch Numbered(Eigen::Index rows, Eigen::Index columns) {
  Batch batch(rows, columns);
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    batch.data()[k] = static_cast<double>(k);
  }
  return batch;
}

Batch Decode(const v1::Array& array) {
  if (array.f64().empty()) return {};
  const auto rows =
      static_cast<Eigen::Index>(array.f64().size() / 8 / array.columns());
  Batch batch;
  DecodeRows(array, 0, rows, rows, &batch);
  return batch;
}

/// A server that answers tau = q + 1000 v. The number in the first column and
/// row of q, over its columns, is the row of the whole.
class BatchTest : public ::testing::Test {
 protected:
  BatchTest() {
    connect.chunk_rows = 1000;
    server.compute = [this](auto& context, const auto& request, auto& reply) {
      return Answer(context, request, &reply);
    };
  }

  grpc::Status Answer(grpc::ServerContext& context,
                      const v1::ComputeRequest& request,
                      v1::ComputeReply* reply) {
    const Batch q = Decode(request.q()), v = Decode(request.v());
    const auto first = static_cast<std::int64_t>(q(0, 0)) / q.cols();
    {
      const std::lock_guard lock(mutex_);
      models.push_back(request.model());
      firsts.push_back(first);
      rows.push_back(q.rows());
      largest = std::max(largest, request.ByteSizeLong());
    }
    if (before) {
      const grpc::Status status = before(context, first);
      if (!status.ok()) return status;
    }
    Batch tau = q;
    for (Eigen::Index k = 0; k < q.rows() && v.size() > 0; ++k) {
      tau.row(k) += 1000 * v.row(v.rows() == 1 ? 0 : k);
    }
    reply->set_rows(static_cast<std::uint64_t>(q.rows()));
    EncodeRows(tau, 0, q.rows(), reply->mutable_results()->mutable_tau());
    reply->mutable_echo()->set_model("arm");
    reply->mutable_echo()->set_revision(kRevision);
    reply->mutable_echo()->mutable_timing()->mutable_compute()->set_nanos(
        600'000'000);
    if (edit) edit(first, request.model(), reply);
    return grpc::Status::OK;
  }

  Client Connect() { return Client::Connect(server.address(), connect); }
  Evaluation Torques(const States& states, const ComputeOptions& options = {}) {
    return Connect().Compute("arm", kTorque, states, options);
  }

  FakeServer server;
  ConnectOptions connect;
  // Set before the first call.
  std::function<grpc::Status(grpc::ServerContext&, std::int64_t first)> before;
  std::function<void(std::int64_t first, const std::string& model,
                     v1::ComputeReply*)>
      edit;

  std::mutex mutex_;  // guards what follows
  std::vector<std::string> models;
  std::vector<std::int64_t> firsts, rows;
  std::size_t largest = 0;
};

TEST_F(BatchTest, OfMoreIsCallsForTheRevisionThatAnsweredFirst) {
  const Evaluation result =
      Connect().Compute("arm@home", kTorque, {.q = Numbered(kLarge, 7)});
  EXPECT_EQ(result.tau, Numbered(kLarge, 7));
  EXPECT_EQ(result.echo.model(), "arm");
  EXPECT_EQ(result.echo.timing().compute().seconds(), 30) << "of all parts";
  EXPECT_THAT(rows,
              ::testing::AllOf(::testing::SizeIs(50), ::testing::Each(1000)));
  EXPECT_EQ(models.front(), "arm@home");
  EXPECT_EQ(models.back(), std::string("arm@") + kRevision);
  EXPECT_LE(std::ranges::count(models, "arm@home"), 8);
}

TEST_F(BatchTest, GivesTheSameRowsHoweverItIsCut) {
  for (const int most : {7, 100, 5000}) {
    connect.chunk_rows = most;
    for (const Eigen::Index count : {1, 8, 2011}) {
      const Batch q = Numbered(count, 7), v = -Numbered(count, 7);
      EXPECT_EQ(Torques({.q = q, .v = v}).tau, q + 1000 * v);
      EXPECT_EQ(
          Connect().ComputeAsync("arm", kTorque, {.q = q, .v = v}).Get().tau,
          q + 1000 * v);
    }
  }
  EXPECT_EQ(std::ranges::max(rows), 2011);
}

TEST_F(BatchTest, KeepsEveryMessageUnderTheLimit) {
  connect.max_message_bytes = 1 << 20;
  // A state takes 7 kB.
  EXPECT_EQ(Torques({.q = Numbered(2000, 900)}).tau, Numbered(2000, 900));
  EXPECT_LT(largest, std::size_t{1} << 20);
  EXPECT_GT(largest, std::size_t{1} << 18);
}

TEST_F(BatchTest, HasEightCallsInFlight) {
  std::atomic<bool> held = true;
  before = [&held](grpc::ServerContext&, std::int64_t first) {
    while (first == 0 && held) std::this_thread::sleep_for(milliseconds(2));
    return grpc::Status::OK;
  };
  const Client client = Connect();
  PendingEvaluation pending =
      client.ComputeAsync("arm", kTorque, {.q = Numbered(kLarge, 7)});
  EXPECT_FALSE(pending.WaitFor(milliseconds(300)));
  {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(firsts.size(), 8u) << "answers wait for their turn";
  }
  held = false;
  EXPECT_EQ(pending.Get().tau, Numbered(kLarge, 7));
}

TEST_F(BatchTest, RepeatsTheCallsThatFailedAndNoOther) {
  std::mutex mutex;
  std::vector<std::int64_t> failed;
  before = [&](grpc::ServerContext&, std::int64_t first) {
    const std::lock_guard lock(mutex);
    if (first % 5000 != 2000 || std::ranges::count(failed, first) > 1) {
      return grpc::Status::OK;
    }
    failed.push_back(first);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "lost");
  };
  ComputeOptions options;
  std::vector<std::int64_t> seen;
  options.progress = [&seen](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, kLarge);
    seen.push_back(done);
  };
  EXPECT_EQ(Torques({.q = Numbered(kLarge, 7)}, options).tau,
            Numbered(kLarge, 7));
  EXPECT_EQ(failed.size(), 20u);
  EXPECT_EQ(firsts.size(), 70u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_THAT(seen, ::testing::SizeIs(50));
  EXPECT_EQ(seen.back(), kLarge);
}

TEST_F(BatchTest, HasAllRowsOfOneRevisionWhileTheNameMoves) {
  std::atomic<int> moved = 0;
  edit = [&moved](std::int64_t first, const std::string& model,
                  v1::ComputeReply* reply) {
    if (first < 3000 || model != "arm") return;
    ++moved;
    reply->mutable_echo()->set_revision("abcdef");
    reply->mutable_results()->mutable_tau()->set_f64(
        std::string(reply->results().tau().f64().size(), '\0'));
  };
  EXPECT_EQ(Torques({.q = Numbered(kLarge, 7)}).tau, Numbered(kLarge, 7));
  EXPECT_GT(moved, 0);
  EXPECT_EQ(firsts.size(), static_cast<std::size_t>(50 + moved));
}

TEST_F(BatchTest, EndsWithTheFirstFailureInTheOrderOfRows) {
  before = [](grpc::ServerContext&, std::int64_t first) {
    if (first < 3000) return grpc::Status::OK;
    // The later ones come first.
    if (first == 3000) std::this_thread::sleep_for(milliseconds(200));
    return Failure(grpc::StatusCode::INVALID_ARGUMENT, "ROW_FAILED", {},
                   {{"row", "5"}});
  };
  const Error error = ErrorOf([&] { Torques({.q = Numbered(kLarge, 7)}); });
  ASSERT_EQ(error.reason(), v1::ROW_FAILED);
  EXPECT_EQ(error.details().metadata.at("row"), "3005");
  EXPECT_THAT(error.what(), ::testing::HasSubstr("from row 3000 on"));
  EXPECT_LT(firsts.size(), 20u) << "what cannot be used is not asked for";
}

TEST_F(BatchTest, KeepsABoundedListOfBadRowsAndCountsAll) {
  edit = [](std::int64_t, const std::string&, v1::ComputeReply* reply) {
    for (std::uint64_t k = 0; k < reply->rows(); ++k) {
      reply->add_row_status()->set_row(k);
    }
    reply->set_rows_not_ok(reply->rows());
  };
  constexpr auto kListed = static_cast<Eigen::Index>(Evaluation::kMaxListed);
  const Evaluation result = Torques({.q = Numbered(kListed + 5000, 2)});
  EXPECT_EQ(result.rows_not_ok, kListed + 5000);
  ASSERT_EQ(result.row_status.size(), Evaluation::kMaxListed);
  EXPECT_EQ(result.row_status.back().row(), Evaluation::kMaxListed - 1);
}

TEST_F(BatchTest, RefusesInputsOfUnequalLengthBeforeItCalls) {
  const std::pair<const char*, Batch States::*> inputs[] = {
#define TORQUED_INPUT_TABLE(name) {#name, &States::name},
#include "torqued/v1/tables.inc"
  };
  for (const auto& [name, input] : inputs) {
    if (input == &States::q) continue;
    SCOPED_TRACE(name);
    States states{.q = Numbered(5000, 7)};
    states.*input = Numbered(4000, 6);
    const Error error = ErrorOf([&] { Torques(states); });
    ASSERT_EQ(error.reason(), v1::WRONG_ROW_COUNT);
    EXPECT_EQ(error.details().field_violations.at(0).field, name);
  }
  EXPECT_TRUE(models.empty());
}

// What the memory of the result does not hold.
TEST_F(BatchTest, TakesNoTableOfAnotherSize) {
  for (const bool wide : {false, true}) {
    edit = [wide](std::int64_t first, const std::string&,
                  v1::ComputeReply* reply) {
      v1::Array& tau = *reply->mutable_results()->mutable_tau();
      if (first < 1000) return;
      if (wide) tau.set_columns(8);
      tau.mutable_f64()->resize(wide ? 64'000 : 8);
    };
    EXPECT_EQ(ErrorOf([&] { Torques({.q = Numbered(5000, 7)}); }).code(),
              grpc::StatusCode::INTERNAL);
  }
}

}  // namespace
}  // namespace torqued::client
