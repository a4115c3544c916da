#include "client/cpp/batch_call.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "client/cpp/array_codec.h"
#include "client/cpp/rows.h"
#include "client/cpp/stream_batch.h"
#include "tests/client/fake_streams.h"

namespace torqued::client {
namespace {

constexpr v1::Quantity kTorque[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr BatchLimits kLimits{.max_message_bytes = 1 << 20, .chunk_rows = 1000};
constexpr Eigen::Index kLarge = 50'000;  // states, more than a message holds

Batch Numbered(Eigen::Index rows, Eigen::Index columns) {
  Batch batch(rows, columns);
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    batch.data()[k] = static_cast<double>(k);
  }
  return batch;
}

/// Both ways to a server that answers tau = q + 1000 v.
class ComputeBatchTest : public ::testing::Test {
 protected:
  BatchCalls Calls() {
    BatchCalls calls;
    calls.compute = [this](const v1::ComputeRequest& request) {
      models.push_back(request.model());
      v1::EvaluateChunk chunk;
      *chunk.mutable_q() = request.q();
      *chunk.mutable_v() = request.v();
      v1::EvaluateReply part = Answer(chunk);
      v1::ComputeReply reply;
      reply.set_rows(part.rows());
      reply.mutable_results()->Swap(part.mutable_results());
      reply.mutable_echo()->set_model("arm");
      reply.mutable_echo()->set_revision(kRevision);
      return reply;
    };
    calls.open_stream = streams.Opener();
    return calls;
  }

  BatchCalls Retrying() {
    BatchCalls calls = Calls();
    calls.schedule.emplace(Clock::now() + std::chrono::seconds(20));
    return calls;
  }

  Evaluation Torques(const States& states, const ComputeOptions& options = {}) {
    return ComputeBatch(Calls(), kLimits, "arm", kTorque, states, options);
  }

  std::vector<std::string> models;  // of the calls of one message
  FakeStreams streams;
};

TEST_F(ComputeBatchTest, OfOneMessageIsOneCallByTheGivenName) {
  const Evaluation result = ComputeBatch(Calls(), kLimits, "arm@home", kTorque,
                                         {.q = Numbered(10, 7)}, {});
  EXPECT_THAT(models, ::testing::ElementsAre("arm@home"));
  EXPECT_TRUE(streams.starts.empty());
  EXPECT_EQ(result.tau, Numbered(10, 7));
  EXPECT_EQ(result.rows, 10);
}

TEST_F(ComputeBatchTest, OfMoreIsOneStreamByTheGivenName) {
  const Evaluation result = ComputeBatch(Calls(), kLimits, "arm@home", kTorque,
                                         {.q = Numbered(kLarge, 7)}, {});
  EXPECT_TRUE(models.empty());
  ASSERT_EQ(streams.starts.size(), 1u);
  EXPECT_EQ(streams.starts[0].model(), "arm@home");
  EXPECT_EQ(streams.starts[0].quantities_size(), 1);
  EXPECT_EQ(streams.starts[0].options().encoding(), v1::ENCODING_F64);
  EXPECT_EQ(streams.chunk_rows.size(), 50u);
  EXPECT_EQ(streams.chunk_rows[0], 1000);
  EXPECT_EQ(result.echo.model(), "arm");
  EXPECT_EQ(result.echo.revision(), kRevision);
}

TEST_F(ComputeBatchTest, GivesTheSameRowsHoweverItTravels) {
  for (const Eigen::Index rows : {1, 4000, 9000, 20'011}) {
    const Batch q = Numbered(rows, 7);
    const Batch v = -Numbered(rows, 7);
    EXPECT_EQ(Torques({.q = q, .v = v}).tau, q + 1000 * v);
    const Evaluation streamed =
        StreamBatch(Calls(), kLimits, "arm", kTorque, {.q = q, .v = v}, {});
    EXPECT_EQ(streamed.tau, q + 1000 * v);
  }
  EXPECT_FALSE(models.empty());
  EXPECT_FALSE(streams.starts.empty());
}

TEST_F(ComputeBatchTest, KeepsEveryMessageUnderTheLimit) {
  // A state takes 7 kB.
  BatchLimits limits = kLimits;
  ComputeBatch(Calls(), limits, "arm", kTorque, {.q = Numbered(5000, 900)}, {});
  EXPECT_LT(streams.largest, std::size_t{1} << 20);
  EXPECT_GT(streams.largest, std::size_t{1} << 18);
  // The twin: a usual chunk would not have fitted.
  EXPECT_GT(limits.chunk_rows * 900 * 8, limits.max_message_bytes);
}

TEST_F(ComputeBatchTest, SendsAheadWithinItsWindow) {
  Torques({.q = Numbered(kLarge, 7)});
  EXPECT_LE(streams.most_unanswered, kSendAhead + 1);
}

TEST_F(ComputeBatchTest, LetsAnInputOfOneRowServeAllParts) {
  const Batch q = Numbered(kLarge, 7);
  const Batch v = Batch::Constant(1, 7, 0.5);
  EXPECT_EQ(Torques({.q = q, .v = v}).tau, (q.array() + 500).matrix());
}

TEST_F(ComputeBatchTest, SaysToAStreamWhatItSaysToACall) {
  ComputeOptions options;
  options.tip_wrench_on_environment =
      TipWrench{Numbered(1, 6), v1::REFERENCE_FRAME_WORLD};
  options.joint_names = {"b", "a"};
  options.fail_fast = true;
  options.task.damping = 0.5;
  options.coulomb_friction = true;
  options.coulomb_smoothing = 0.25;
  options.external_wrenches = {{"elbow", v1::REFERENCE_FRAME_WORLD}};
  constexpr v1::Quantity kBoth[] = {v1::QUANTITY_INVERSE_DYNAMICS,
                                    v1::QUANTITY_OPERATIONAL_SPACE};
  EXPECT_THROW(ComputeBatch(Calls(), kLimits, "arm", kBoth,
                            {.q = Numbered(kLarge, 7)}, options),
               Error)
      << "the stand-in knows no operational space";
  ASSERT_EQ(streams.starts.size(), 1u);
  const v1::EvaluateStart& start = streams.starts[0];
  EXPECT_THAT(start.options().joint_names(), ::testing::ElementsAre("b", "a"));
  EXPECT_TRUE(start.options().fail_fast());
  EXPECT_EQ(start.tip_wrench_reference_frame(), v1::REFERENCE_FRAME_WORLD);
  EXPECT_EQ(start.operational_space().damping(), 0.5);
  EXPECT_EQ(start.options().terms().coulomb_smoothing(), 0.25);
  ASSERT_EQ(start.options().external_wrenches_size(), 1);
  EXPECT_EQ(start.options().external_wrenches(0).frame(), "elbow");
}

TEST_F(ComputeBatchTest, AddsUpTheTimesOfItsParts) {
  const Evaluation result = Torques({.q = Numbered(kLarge, 7)});
  const double seconds =
      static_cast<double>(result.echo.timing().compute().seconds()) +
      1e-9 * result.echo.timing().compute().nanos();
  EXPECT_NEAR(seconds, 0.6 * 50, 1e-9);
}

TEST_F(ComputeBatchTest, CountsBadRowsFromTheStartOfTheBatch) {
  // Rows 2 and 33 333 hold numbers that the stand-in reports.
  streams.edit = [](int, v1::EvaluateReply* reply) {
    Batch tau;
    const auto rows = static_cast<Eigen::Index>(reply->rows());
    DecodeRows(reply->results().tau(), "tau", 0, rows, rows, &tau);
    for (Eigen::Index k = 0; k < rows; ++k) {
      if (tau(k, 0) != 33'333 * 7 && tau(k, 0) != 2 * 7) continue;
      v1::RowStatus* status = reply->add_row_status();
      status->set_row(reply->first_row() + static_cast<std::uint64_t>(k));
      status->set_code(v1::ROW_CODE_INVALID_INPUT);
      reply->set_rows_not_ok(reply->rows_not_ok() + 1);
    }
  };
  const auto expect_both = [](const Evaluation& result) {
    ASSERT_EQ(result.row_status.size(), 2u);
    EXPECT_EQ(result.row_status[0].row(), 2u);
    EXPECT_EQ(result.row_status[1].row(), 33'333u);
    EXPECT_EQ(result.rows_not_ok, 2);
    EXPECT_FALSE(result.ok());
  };
  expect_both(Torques({.q = Numbered(kLarge, 7)}));
  // Also where the second is in a second stream.
  streams.fail = [](int stream, int chunk) {
    return stream == 0 && chunk == 10
               ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
               : grpc::Status::OK;
  };
  expect_both(ComputeBatch(Retrying(), kLimits, "arm", kTorque,
                           {.q = Numbered(kLarge, 7)}, {}));
}

TEST_F(ComputeBatchTest, GoesOnWhereAStreamWasInterrupted) {
  std::vector<std::int64_t> seen;
  ComputeOptions options;
  options.progress = [&](std::int64_t done, std::int64_t) {
    seen.push_back(done);
  };
  streams.fail = [](int stream, int chunk) {
    return stream < 3 && chunk == 5 * stream
               ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
               : grpc::Status::OK;
  };
  const Evaluation result = ComputeBatch(Retrying(), kLimits, "arm", kTorque,
                                         {.q = Numbered(kLarge, 7)}, options);
  EXPECT_EQ(result.tau, Numbered(kLarge, 7));
  // No row twice, and all of the revision that the first came from.
  EXPECT_EQ(seen.size(), 50u);
  ASSERT_EQ(streams.starts.size(), 4u);
  EXPECT_EQ(streams.starts[1].model(), "arm") << "nothing was answered before";
  EXPECT_EQ(streams.starts[2].model(), "@" + kRevision);
  EXPECT_EQ(streams.starts[3].model(), "@" + kRevision);
  EXPECT_EQ(result.echo.model(), "arm");
}

TEST_F(ComputeBatchTest, AStreamOfItsOwnIsNotResumed) {
  streams.fail = [](int, int chunk) {
    return chunk == 5 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
                      : grpc::Status::OK;
  };
  EXPECT_THROW(StreamBatch(Calls(), kLimits, "arm", kTorque,
                           {.q = Numbered(kLarge, 7)}, {}),
               Error);
  EXPECT_EQ(streams.starts.size(), 1u);
}

/// A failure as the server sends it.
grpc::Status Failure(
    grpc::StatusCode code, const std::string& reason,
    const std::vector<std::pair<std::string, std::string>>& metadata) {
  v1::ErrorInfo info;
  info.set_reason(reason);
  for (const auto& [key, value] : metadata) {
    (*info.mutable_metadata())[key] = value;
  }
  v1::Status details;
  details.set_code(code);
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  info.SerializeToString(any->mutable_value());
  return {code, "a sentence", details.SerializeAsString()};
}

TEST_F(ComputeBatchTest, ThrowsTheFirstFailureWithItsRowAndStops) {
  streams.fail = [](int stream, int chunk) {
    if (chunk != 3) return grpc::Status::OK;
    return stream == 0
               ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
               : Failure(
                     grpc::StatusCode::INVALID_ARGUMENT, "ROW_FAILED",
                     {{"row", "3005"}, {"next_row", "3000"}, {"chunk", "3"}});
  };
  try {
    ComputeBatch(Retrying(), kLimits, "arm", kTorque,
                 {.q = Numbered(10 * kLarge, 7)}, {});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::ROW_FAILED);
    // Three chunks were answered in the stream before.
    EXPECT_EQ(error.details().metadata.at("row"), "6005");
    EXPECT_EQ(error.details().metadata.at("next_row"), "6000");
    EXPECT_EQ(error.details().metadata.at("chunk"), "6");
  }
  EXPECT_EQ(streams.chunk_rows.size(), 6u);
}

/// What a server says that takes so many states at a time.
std::function<grpc::Status(std::int64_t)> TakesAtMost(std::int64_t rows) {
  return [rows](std::int64_t asked) {
    return asked <= rows ? grpc::Status::OK
                         : Failure(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                   "REQUEST_TOO_LARGE",
                                   {{"rows_that_fit", std::to_string(rows)}});
  };
}

TEST_F(ComputeBatchTest, SendsAsManyStatesAsTheServerTakes) {
  for (const std::int64_t most : {1, 63, 200}) {
    streams.starts.clear();
    streams.chunk_rows.clear();
    streams.admit = TakesAtMost(most);
    const Batch q = Numbered(20'000, 7);
    EXPECT_EQ(Torques({.q = q}).tau, q);
    EXPECT_EQ(streams.starts.size(), 2u) << "one refusal tells";
    EXPECT_EQ(streams.chunk_rows[0], most < 64 ? most : 192);
  }
}

TEST_F(ComputeBatchTest, SendsHalfAsManyWhereARefusalDoesNotSay) {
  // As gRPC refuses a message.
  streams.admit = [](std::int64_t rows) {
    return rows <= 300 ? grpc::Status::OK
                       : grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                      "Received message larger than max");
  };
  EXPECT_EQ(Torques({.q = Numbered(kLarge, 7)}).tau, Numbered(kLarge, 7));
  EXPECT_EQ(streams.chunk_rows[0], 192);
  // Also in a stream of its own, whose other failures are final.
  EXPECT_EQ(StreamBatch(Calls(), kLimits, "arm", kTorque,
                        {.q = Numbered(2000, 7)}, {})
                .rows,
            2000);
}

TEST_F(ComputeBatchTest, ACallTooLargeForTheServerBecomesAStream) {
  BatchCalls calls = Calls();
  calls.compute = [](const v1::ComputeRequest&) -> v1::ComputeReply {
    throw DecodeError(TakesAtMost(100)(1000));
  };
  streams.admit = TakesAtMost(100);
  const Batch q = Numbered(1000, 7);
  EXPECT_EQ(ComputeBatch(calls, kLimits, "arm", kTorque, {.q = q}, {}).tau, q);
  EXPECT_EQ(streams.starts.size(), 1u) << "the call's refusal tells";
  EXPECT_EQ(streams.chunk_rows[0], 64);
}

TEST_F(ComputeBatchTest, ALimitThatIsMetInTheMiddleLosesNothing) {
  std::vector<std::int64_t> seen;
  ComputeOptions options;
  options.progress = [&](std::int64_t done, std::int64_t) {
    seen.push_back(done);
  };
  streams.admit = [&, sent = 0](std::int64_t rows) mutable {
    return ++sent < 5 ? grpc::Status::OK : TakesAtMost(640)(rows);
  };
  EXPECT_EQ(Torques({.q = Numbered(kLarge, 7)}, options).tau,
            Numbered(kLarge, 7));
  ASSERT_GE(seen.size(), 5u);
  EXPECT_EQ(seen[3], 4 * 1000);
  EXPECT_EQ(seen[4], 4 * 1000 + 640);
  EXPECT_EQ(streams.starts[1].model(), "@" + kRevision);
}

TEST_F(ComputeBatchTest, OneStateThatIsTooLargeIsAnError) {
  streams.admit = TakesAtMost(0);
  try {
    Torques({.q = Numbered(kLarge, 7)});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::REQUEST_TOO_LARGE);
  }
  streams.admit = [](std::int64_t) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "Received message larger than max");
  };
  EXPECT_THROW(Torques({.q = Numbered(kLarge, 7)}), Error);
}

TEST_F(ComputeBatchTest, WhatIsExhaustedButNotBySizeIsNotSentAgain) {
  streams.admit = [](std::int64_t) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "received trailing metadata size exceeds limit");
  };
  EXPECT_THROW(Torques({.q = Numbered(kLarge, 7)}), Error);
  EXPECT_EQ(streams.starts.size(), 1u);
}

TEST_F(ComputeBatchTest, TellsWhereAnotherKindOfServerWentOn) {
  // Four streams of ten chunks; the third is served like the second.
  streams.fail = [](int stream, int chunk) {
    return stream < 3 && chunk == 10
               ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
               : grpc::Status::OK;
  };
  streams.edit = [stream = -1](int chunk, v1::EvaluateReply* reply) mutable {
    if (chunk != 0) return;
    // The second differs by its target alone, the fourth by its version.
    constexpr const char* kTargets[] = {"avx512", "avx2", "avx2", "avx2"};
    reply->mutable_echo()->set_target(kTargets[++stream]);
    reply->mutable_echo()->set_server_version(stream < 3 ? "1" : "2");
  };
  const Evaluation result = ComputeBatch(Retrying(), kLimits, "arm", kTorque,
                                         {.q = Numbered(kLarge, 7)}, {});
  EXPECT_EQ(result.echo.target(), "avx512");
  ASSERT_EQ(result.handovers.size(), 2u);
  EXPECT_EQ(result.handovers[0].first_row, 10 * 1000);
  EXPECT_EQ(result.handovers[0].target, "avx2");
  EXPECT_EQ(result.handovers[1].first_row, 30 * 1000);
  EXPECT_EQ(result.handovers[1].target, "avx2");
  EXPECT_EQ(result.handovers[1].server_version, "2");
}

TEST_F(ComputeBatchTest, KeepsABoundedListOfBadRowsAndCountsAll) {
  streams.edit = [](int, v1::EvaluateReply* reply) {
    for (std::uint64_t k = 0; k < reply->rows(); ++k) {
      reply->add_row_status()->set_row(reply->first_row() + k);
    }
    reply->set_rows_not_ok(reply->rows());
  };
  constexpr auto kListed = static_cast<Eigen::Index>(Evaluation::kMaxListed);
  const Evaluation result = Torques({.q = Numbered(kListed + 5000, 2)});
  EXPECT_EQ(result.rows_not_ok, kListed + 5000);
  ASSERT_EQ(result.row_status.size(), Evaluation::kMaxListed);
  EXPECT_EQ(result.row_status.back().row(), Evaluation::kMaxListed - 1);
}

TEST_F(ComputeBatchTest, AStreamThatEndsTooSoonIsAnError) {
  streams.fail = [](int, int chunk) {
    return chunk == 5 ? grpc::Status(grpc::StatusCode::CANCELLED, "")
                      : grpc::Status::OK;
  };
  EXPECT_THROW(Torques({.q = Numbered(kLarge, 7)}), Error);
}

TEST_F(ComputeBatchTest, TellsProgressThatNeverFallsAndReachesTheTotal) {
  ComputeOptions options;
  std::vector<std::int64_t> seen;
  std::set<std::int64_t> totals;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    seen.push_back(done);
    totals.insert(total);
  };
  Torques({.q = Numbered(kLarge, 7)}, options);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_EQ(seen.back(), kLarge);
  EXPECT_THAT(totals, ::testing::ElementsAre(kLarge));
}

TEST_F(ComputeBatchTest, RefusesInputsOfUnequalLengthBeforeItCalls) {
  try {
    Torques({.q = Numbered(5, 7), .v = Numbered(4, 7)});
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::WRONG_ROW_COUNT);
    ASSERT_EQ(error.details().field_violations.size(), 1u);
    EXPECT_EQ(error.details().field_violations[0].field, "v");
  }
  EXPECT_TRUE(models.empty());
}

// What a server must not send, and what the caller must not be given.
TEST_F(ComputeBatchTest, TakesNoBrokenReply) {
  using Break = void (*)(v1::EvaluateReply*);
  const std::vector<Break> breaks = {
      [](v1::EvaluateReply* reply) { reply->set_rows(reply->rows() + 1); },
      [](v1::EvaluateReply* reply) { reply->set_rows(0); },
      [](v1::EvaluateReply* reply) { reply->set_first_row(0); },
      [](v1::EvaluateReply* reply) {
        reply->set_first_row(reply->first_row() + 1);
      },
      [](v1::EvaluateReply* reply) { reply->mutable_results()->clear_tau(); },
      [](v1::EvaluateReply* reply) {
        reply->mutable_results()->mutable_tau()->mutable_f64()->resize(8);
      },
      [](v1::EvaluateReply* reply) {
        reply->mutable_results()->mutable_tau()->set_columns(8);
      },
      [](v1::EvaluateReply* reply) {
        reply->set_rows_not_ok(reply->rows() + 1);
      },
      [](v1::EvaluateReply* reply) {
        reply->add_row_status()->set_row(reply->first_row() + reply->rows());
      },
      [](v1::EvaluateReply* reply) {
        reply->add_row_status()->set_row(reply->first_row() - 1);
      }};
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    streams.edit = [&](int chunk, v1::EvaluateReply* reply) {
      if (chunk == 1) breaks[k](reply);
    };
    EXPECT_THROW(Torques({.q = Numbered(kLarge, 7)}), Error) << k;
  }
}

TEST_F(ComputeBatchTest, RefusesMoreRowsThanItAskedFor) {
  for (const std::uint64_t rows : {std::uint64_t{3}, ~std::uint64_t{0}}) {
    BatchCalls calls = Calls();
    calls.compute = [&](const v1::ComputeRequest&) {
      v1::ComputeReply reply;
      reply.set_rows(rows);
      reply.mutable_results()->mutable_tau();
      return reply;
    };
    EXPECT_THROW(
        ComputeBatch(calls, kLimits, "statue", kTorque, {.q = Batch(2, 0)}, {}),
        Error);
  }
}

TEST_F(ComputeBatchTest, StopsCountingTimeWhereItCannotBeCounted) {
  streams.edit = [](int, v1::EvaluateReply* reply) {
    v1::Timing* timing = reply->mutable_timing();
    timing->mutable_queue()->set_seconds(9'000'000'000);
    timing->mutable_compute()->set_seconds(
        std::numeric_limits<std::int64_t>::max());
  };
  const Evaluation result = Torques({.q = Numbered(kLarge, 7)});
  EXPECT_EQ(result.echo.timing().queue().seconds(), 9'223'372'036);
  EXPECT_EQ(result.echo.timing().compute().seconds(), 0);
}

TEST_F(ComputeBatchTest, RefusesAReplyWithoutWhatWasAskedFor) {
  BatchCalls calls = Calls();
  calls.compute = [](const v1::ComputeRequest&) {
    v1::ComputeReply reply;
    reply.set_rows(2);
    return reply;
  };
  EXPECT_THROW(
      ComputeBatch(calls, kLimits, "arm", kTorque, {.q = Numbered(2, 7)}, {}),
      Error);
}

TEST_F(ComputeBatchTest, RefusesAnOperationalSpaceWithoutItsDiagnostics) {
  const auto calls_with = [&](int rules) {
    BatchCalls calls = Calls();
    calls.compute = [rules](const v1::ComputeRequest&) {
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
    return calls;
  };
  constexpr v1::Quantity kTask[] = {v1::QUANTITY_OPERATIONAL_SPACE};
  const States states{.q = Numbered(2, 7)};
  EXPECT_THROW(ComputeBatch(calls_with(0), kLimits, "arm", kTask, states, {}),
               Error);
  const Evaluation result =
      ComputeBatch(calls_with(2), kLimits, "arm", kTask, states, {});
  EXPECT_THAT(result.sigma_min, ::testing::IsEmpty()) << "not asked for";
  EXPECT_EQ(result.lambda, Numbered(2, 36));
  EXPECT_THAT(result.rank, ::testing::ElementsAre(6, 6));
  EXPECT_THAT(result.rule, ::testing::Each(v1::TASK_RULE_FULL_RANK));
}

TEST_F(ComputeBatchTest,
       RefusesAnOperationalSpaceWithoutTheSingularValuesAskedFor) {
  const auto calls_with = [&](int values) {
    BatchCalls calls = Calls();
    calls.compute = [values](const v1::ComputeRequest&) {
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
    return calls;
  };
  constexpr v1::Quantity kTask[] = {v1::QUANTITY_OPERATIONAL_SPACE};
  const States states{.q = Numbered(1, 7)};
  ComputeOptions options;
  options.task.sigma_min = true;
  EXPECT_THROW(
      ComputeBatch(calls_with(0), kLimits, "arm", kTask, states, options),
      Error);
  EXPECT_THAT(
      ComputeBatch(calls_with(1), kLimits, "arm", kTask, states, options)
          .sigma_min,
      ::testing::ElementsAre(0.5));
}

}  // namespace
}  // namespace torqued::client
