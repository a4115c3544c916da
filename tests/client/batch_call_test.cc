#include "client/cpp/batch_call.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "client/cpp/array_codec.h"
#include "client/cpp/rows.h"

namespace torqued::client {
namespace {

constexpr v1::Quantity kTorque[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr std::int64_t kLimit = 1 << 20;

const std::string kRevision(64, 'a');
const BatchLimits kLimits{kLimit, 4};

// A stand-in for the server: tau = q + 1000 v, revision "abc...".
class Echoing {
 public:
  v1::ComputeReply operator()(const v1::ComputeRequest& request, CallGroup&) {
    const auto columns = static_cast<Eigen::Index>(request.q().columns());
    const Batch q = Decode(request.q(), columns);
    const Batch v = Decode(request.v(), columns);
    const Eigen::Index rows = std::max(q.rows(), v.rows());
    Batch tau(rows, columns);
    for (Eigen::Index k = 0; k < rows; ++k) {
      tau.row(k) = q.row(q.rows() == 1 ? 0 : k);
      if (v.size() > 0) tau.row(k) += 1000 * v.row(v.rows() == 1 ? 0 : k);
    }

    v1::ComputeReply reply;
    reply.set_rows(static_cast<std::uint64_t>(rows));
    EncodeRows(tau, 0, rows, reply.mutable_results()->mutable_tau());
    reply.mutable_echo()->set_model("arm");
    reply.mutable_echo()->set_revision(kRevision);
    reply.mutable_echo()->mutable_timing()->mutable_compute()->set_nanos(
        600'000'000);

    const std::lock_guard lock(mutex_);
    models.push_back(request.model());
    largest = std::max({largest, request.ByteSizeLong(), reply.ByteSizeLong()});
    return reply;
  }

  std::vector<std::string> models;
  std::size_t largest = 0;

 private:
  static Batch Decode(const v1::Array& array, Eigen::Index columns) {
    if (array.f64().empty()) return {};
    const auto rows =
        static_cast<Eigen::Index>(array.f64().size()) / 8 / columns;
    Batch batch;
    DecodeRows(array, "input", 0, rows, rows, &batch);
    return batch;
  }

  std::mutex mutex_;
};

Batch Numbered(Eigen::Index rows, Eigen::Index columns) {
  Batch batch(rows, columns);
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    batch.data()[k] = static_cast<double>(k);
  }
  return batch;
}

TEST(ComputeBatch, OfOneMessageIsOneCallByTheGivenName) {
  Echoing server;
  const Evaluation result = ComputeBatch(std::ref(server), kLimits, "arm@home",
                                         kTorque, {.q = Numbered(10, 7)}, {});
  EXPECT_THAT(server.models, ::testing::ElementsAre("arm@home"));
  EXPECT_EQ(result.tau, Numbered(10, 7));
  EXPECT_EQ(result.rows, 10);
}

TEST(ComputeBatch, GivesTheSameRowsHoweverItIsCut) {
  for (const Eigen::Index rows : {1, 4000, 9000, 20'011}) {
    Echoing server;
    const Batch q = Numbered(rows, 7);
    const Batch v = -Numbered(rows, 7);
    const Evaluation result = ComputeBatch(std::ref(server), kLimits, "arm",
                                           kTorque, {.q = q, .v = v}, {});
    EXPECT_EQ(result.tau, q + 1000 * v);
    if (rows > 9000) {
      EXPECT_GT(server.models.size(), 2u);
    }
  }
}

TEST(ComputeBatch, KeepsEveryMessageUnderTheLimit) {
  Echoing server;
  ComputeBatch(std::ref(server), kLimits, "arm", kTorque,
               {.q = Numbered(50'000, 7), .v = Numbered(50'000, 7)}, {});
  EXPECT_LT(server.largest, static_cast<std::size_t>(kLimit));
  // The twin: in one piece it would not have fitted.
  EXPECT_GT(50'000 * 14 * 8, kLimit);
}

TEST(ComputeBatch, AsksForTheRevisionThatTheFirstPartCameFrom) {
  Echoing server;
  const Evaluation result =
      ComputeBatch(std::ref(server), kLimits, "arm", kTorque,
                   {.q = Numbered(50'000, 7)}, {});
  ASSERT_GT(server.models.size(), 2u);
  EXPECT_EQ(server.models[0], "arm");
  for (std::size_t k = 1; k < server.models.size(); ++k) {
    EXPECT_EQ(server.models[k], "@" + kRevision);
  }
  EXPECT_EQ(result.echo.model(), "arm");
}

TEST(ComputeBatch, LetsAnInputOfOneRowServeAllParts) {
  Echoing server;
  const Batch q = Numbered(50'000, 7);
  const Batch v = Batch::Constant(1, 7, 0.5);
  const Evaluation result = ComputeBatch(std::ref(server), kLimits, "arm",
                                         kTorque, {.q = q, .v = v}, {});
  EXPECT_EQ(result.tau, (q.array() + 500).matrix());
}

TEST(ComputeBatch, AddsUpTheTimesOfItsParts) {
  Echoing server;
  const Evaluation result =
      ComputeBatch(std::ref(server), kLimits, "arm", kTorque,
                   {.q = Numbered(50'000, 7)}, {});
  const double seconds =
      static_cast<double>(result.echo.timing().compute().seconds()) +
      1e-9 * result.echo.timing().compute().nanos();
  EXPECT_NEAR(seconds, 0.6 * static_cast<double>(server.models.size()), 1e-9);
}

TEST(ComputeBatch, CountsBadRowsFromTheStartOfTheBatch) {
  Echoing server;
  // Row 33 333 holds a number that the stand-in reports.
  const auto call = [&server](const v1::ComputeRequest& request,
                              CallGroup& group) {
    v1::ComputeReply reply = server(request, group);
    Batch tau;
    const auto rows = static_cast<Eigen::Index>(reply.rows());
    DecodeRows(reply.results().tau(), "tau", 0, rows, rows, &tau);
    for (Eigen::Index k = 0; k < rows; ++k) {
      if (tau(k, 0) != 33'333 * 7 && tau(k, 0) != 2 * 7) continue;
      v1::RowStatus* status = reply.add_row_status();
      status->set_row(static_cast<std::uint64_t>(k));
      status->set_code(v1::ROW_CODE_INVALID_INPUT);
      reply.set_rows_not_ok(reply.rows_not_ok() + 1);
    }
    return reply;
  };
  const Evaluation result = ComputeBatch(call, kLimits, "arm", kTorque,
                                         {.q = Numbered(50'000, 7)}, {});
  ASSERT_EQ(result.row_status.size(), 2u);
  EXPECT_EQ(result.row_status[0].row(), 2u);
  EXPECT_EQ(result.row_status[1].row(), 33'333u);
  EXPECT_EQ(result.rows_not_ok, 2);
  EXPECT_FALSE(result.ok());
}

TEST(ComputeBatch, ThrowsTheFirstFailureWithItsRowAndStops) {
  Echoing server;
  std::atomic<int> calls = 0;
  const auto call = [&](const v1::ComputeRequest& request, CallGroup& group) {
    if (++calls < 3) return server(request, group);
    Error::Details details;
    details.reason = "ROW_FAILED";
    details.metadata["row"] = "5";
    throw Error(grpc::StatusCode::INVALID_ARGUMENT, "row 5", details);
  };
  try {
    ComputeBatch(call, {kLimit, 1}, "arm", kTorque, {.q = Numbered(500'000, 7)},
                 {});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::ROW_FAILED);
    const std::int64_t per_call = RowsPerCall(56, 56, kLimit);
    EXPECT_EQ(error.details().metadata.at("row"),
              std::to_string(2 * per_call + 5));
  }
  EXPECT_EQ(calls, 3);
}

TEST(ComputeBatch, EndsTheOtherCallsWhenOneFails) {
  Echoing server;
  std::atomic<int> calls = 0;
  std::atomic<bool> ended = false;
  const auto call = [&](const v1::ComputeRequest& request, CallGroup& group) {
    const int number = ++calls;
    if (number == 1) return server(request, group);
    if (number == 2) {
      // Stands for a call under way; the group is what ends it.
      while (!group.cancelled()) std::this_thread::yield();
      ended = true;
    } else {
      while (calls < 3) std::this_thread::yield();
    }
    throw Error(grpc::StatusCode::INTERNAL, "broken");
  };
  EXPECT_THROW(ComputeBatch(call, {kLimit, 2}, "arm", kTorque,
                            {.q = Numbered(500'000, 7)}, {}),
               Error);
  EXPECT_TRUE(ended);
}

TEST(ComputeBatch, TellsProgressThatNeverFallsAndReachesTheTotal) {
  Echoing server;
  ComputeOptions options;
  std::vector<std::int64_t> seen;
  std::set<std::int64_t> totals;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    seen.push_back(done);
    totals.insert(total);
  };
  ComputeBatch(std::ref(server), kLimits, "arm", kTorque,
               {.q = Numbered(50'000, 7)}, options);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.size(), server.models.size());
  EXPECT_EQ(seen.back(), 50'000);
  EXPECT_THAT(totals, ::testing::ElementsAre(50'000));
}

TEST(ComputeBatch, RefusesInputsOfUnequalLengthBeforeItCalls) {
  Echoing server;
  try {
    ComputeBatch(std::ref(server), kLimits, "arm", kTorque,
                 {.q = Numbered(5, 7), .v = Numbered(4, 7)}, {});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::WRONG_ROW_COUNT);
    ASSERT_EQ(error.details().field_violations.size(), 1u);
    EXPECT_EQ(error.details().field_violations[0].field, "v");
  }
  EXPECT_TRUE(server.models.empty());
}

// What a server must not send, and what the caller must not be given.
class BrokenReply
    : public ::testing::TestWithParam<void (*)(v1::ComputeReply*)> {};

TEST_P(BrokenReply, IsAnError) {
  Echoing server;
  int calls = 0;
  const auto call = [&](const v1::ComputeRequest& request, CallGroup& group) {
    v1::ComputeReply reply = server(request, group);
    if (++calls == 2) GetParam()(&reply);
    return reply;
  };
  EXPECT_THROW(ComputeBatch(call, {kLimit, 1}, "arm", kTorque,
                            {.q = Numbered(50'000, 7)}, {}),
               Error);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BrokenReply,
    ::testing::Values(
        [](v1::ComputeReply* reply) { reply->set_rows(reply->rows() + 1); },
        [](v1::ComputeReply* reply) { reply->mutable_results()->clear_tau(); },
        [](v1::ComputeReply* reply) {
          reply->mutable_results()->mutable_tau()->mutable_f64()->resize(8);
        },
        [](v1::ComputeReply* reply) {
          reply->mutable_results()->mutable_tau()->set_columns(8);
        },
        [](v1::ComputeReply* reply) {
          reply->set_rows_not_ok(reply->rows() + 1);
        },
        [](v1::ComputeReply* reply) {
          reply->add_row_status()->set_row(reply->rows());
        }));

TEST(ComputeBatch, RefusesMoreRowsThanItAskedFor) {
  for (const std::uint64_t rows : {std::uint64_t{3}, ~std::uint64_t{0}}) {
    const auto call = [&](const v1::ComputeRequest&, CallGroup&) {
      v1::ComputeReply reply;
      reply.set_rows(rows);
      reply.mutable_results()->mutable_tau();
      return reply;
    };
    EXPECT_THROW(
        ComputeBatch(call, kLimits, "statue", kTorque, {.q = Batch(2, 0)}, {}),
        Error);
  }
}

TEST(ComputeBatch, StopsCountingTimeWhereItCannotBeCounted) {
  Echoing server;
  const auto call = [&](const v1::ComputeRequest& request, CallGroup& group) {
    v1::ComputeReply reply = server(request, group);
    v1::Timing* timing = reply.mutable_echo()->mutable_timing();
    timing->mutable_queue()->set_seconds(9'000'000'000);
    timing->mutable_compute()->set_seconds(
        std::numeric_limits<std::int64_t>::max());
    return reply;
  };
  const Evaluation result = ComputeBatch(call, kLimits, "arm", kTorque,
                                         {.q = Numbered(50'000, 7)}, {});
  EXPECT_EQ(result.echo.timing().queue().seconds(), 9'223'372'036);
  EXPECT_EQ(result.echo.timing().compute().seconds(), 0);
}

TEST(ComputeBatch, RefusesAReplyWithoutWhatWasAskedFor) {
  const auto empty = [](const v1::ComputeRequest&, CallGroup&) {
    v1::ComputeReply reply;
    reply.set_rows(2);
    return reply;
  };
  EXPECT_THROW(
      ComputeBatch(empty, kLimits, "arm", kTorque, {.q = Numbered(2, 7)}, {}),
      Error);
}

TEST(ComputeBatch, RefusesAnOperationalSpaceWithoutItsDiagnostics) {
  const auto reply_with = [](int rules) {
    return [rules](const v1::ComputeRequest&, CallGroup&) {
      v1::ComputeReply reply;
      reply.set_rows(2);
      v1::Results& results = *reply.mutable_results();
      EncodeRows(Numbered(2, 36), 0, 2, results.mutable_lambda());
      EncodeRows(Numbered(2, 6), 0, 2, results.mutable_eta());
      for (int k = 0; k < 2; ++k) {
        results.add_rank(6);
        results.add_sigma_min(0.5);
      }
      for (int k = 0; k < rules; ++k) results.add_rule(v1::TASK_RULE_FULL_RANK);
      return reply;
    };
  };
  constexpr v1::Quantity kTask[] = {v1::QUANTITY_OPERATIONAL_SPACE};
  const States states{.q = Numbered(2, 7)};
  EXPECT_THROW(ComputeBatch(reply_with(0), kLimits, "arm", kTask, states, {}),
               Error);
  const Evaluation result =
      ComputeBatch(reply_with(2), kLimits, "arm", kTask, states, {});
  EXPECT_THAT(result.sigma_min, ::testing::IsEmpty()) << "not asked for";
  EXPECT_EQ(result.lambda, Numbered(2, 36));
  EXPECT_THAT(result.rank, ::testing::ElementsAre(6, 6));
  EXPECT_THAT(result.rule, ::testing::Each(v1::TASK_RULE_FULL_RANK));
}

TEST(ComputeBatch, RefusesAnOperationalSpaceWithoutTheSingularValuesAskedFor) {
  const auto reply_with = [](int values) {
    return [values](const v1::ComputeRequest&, CallGroup&) {
      v1::ComputeReply reply;
      reply.set_rows(1);
      v1::Results& results = *reply.mutable_results();
      EncodeRows(Numbered(1, 36), 0, 1, results.mutable_lambda());
      EncodeRows(Numbered(1, 6), 0, 1, results.mutable_eta());
      results.add_rank(6);
      results.add_rule(v1::TASK_RULE_FULL_RANK);
      for (int k = 0; k < values; ++k) results.add_sigma_min(0.5);
      return reply;
    };
  };
  constexpr v1::Quantity kTask[] = {v1::QUANTITY_OPERATIONAL_SPACE};
  const States states{.q = Numbered(1, 7)};
  ComputeOptions options;
  options.task.sigma_min = true;
  EXPECT_THROW(
      ComputeBatch(reply_with(0), kLimits, "arm", kTask, states, options),
      Error);
  EXPECT_THAT(
      ComputeBatch(reply_with(1), kLimits, "arm", kTask, states, options)
          .sigma_min,
      ::testing::ElementsAre(0.5));
}

}  // namespace
}  // namespace torqued::client
