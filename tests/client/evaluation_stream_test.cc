#include "client/cpp/evaluation_stream.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/cpp/client.h"
#include "tests/client/fake_replies.h"
#include "tests/client/fake_server.h"
#include "tests/client/fake_streams.h"
#include "tests/support/await.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr v1::Quantity kTorque = v1::QUANTITY_INVERSE_DYNAMICS;

States Chunk(int number, Eigen::Index rows = 2) {
  return {.q = Batch::Constant(rows, 3, number)};
}

template <class Function>
Error ErrorOf(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  return {grpc::StatusCode::OK, "did not throw"};
}

class EvaluationStreamTest : public ::testing::Test {
 protected:
  EvaluationStreamTest() {
    server->evaluate = [](grpc::ServerContext&, auto& stream) {
      return AnswerStream(stream, 1'000'000);
    };
  }

  EvaluationStream Open(int window = EvaluationStream::kWindow,
                        const ComputeOptions& options = {}) {
    return Client::Connect(server->address())
        .OpenStream("arm", {kTorque}, options, window);
  }

  // The first failure is final.
  EvaluationStream OpenOnce(int window = EvaluationStream::kWindow) {
    ConnectOptions connect;
    connect.retry = false;
    return Client::Connect(server->address(), connect)
        .OpenStream("arm", {kTorque}, {}, window);
  }

  std::unique_ptr<FakeServer> server = std::make_unique<FakeServer>();
};

TEST_F(EvaluationStreamTest, AnswersChunkByChunk) {
  EvaluationStream stream = Open();
  for (int k = 0; k < 200; ++k) {
    const Evaluation evaluation = stream.Exchange(Chunk(k, 1 + k % 3));
    EXPECT_EQ(evaluation.rows, 1 + k % 3);
    EXPECT_EQ(evaluation.tau, Batch::Constant(1 + k % 3, 3, k));
    EXPECT_EQ(evaluation.echo.revision(), kRevision);
  }
  EXPECT_EQ(stream.unread(), 0);
  stream.Finish();
  EXPECT_EQ(stream.Read(), std::nullopt);
}

TEST_F(EvaluationStreamTest, IsReadByOneThreadWhileAnotherOneWrites) {
  constexpr int kChunks = 3000;
  EvaluationStream stream = Open(4);
  std::jthread writer([&stream] {
    for (int k = 0; k < kChunks; ++k) stream.Write(Chunk(k));
    stream.EndWriting();
  });
  int read = 0;
  while (const auto evaluation = stream.Read()) {
    EXPECT_EQ(evaluation->tau, Batch::Constant(2, 3, read));
    EXPECT_LE(stream.unread(), 4);
    // Long enough for the writer to wait, now and then.
    if (++read % 100 == 0) std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_EQ(read, kChunks);
}

TEST_F(EvaluationStreamTest, HoldsUpWhatIsNotRead) {
  EvaluationStream stream = Open(3);
  for (int k = 0; k < 3; ++k) stream.Write(Chunk(k));
  EXPECT_EQ(stream.unread(), 3);
  EXPECT_FALSE(stream.TryWrite(Chunk(3)));
  ASSERT_TRUE(stream.Readable(seconds(20)));
  EXPECT_FALSE(stream.TryWrite(Chunk(3)));
  EXPECT_EQ(stream.Read()->tau(0, 0), 0);
  EXPECT_TRUE(stream.TryWrite(Chunk(3)));
  for (int k = 1; k < 4; ++k) EXPECT_EQ(stream.Read()->tau(0, 0), k);
}

TEST_F(EvaluationStreamTest, SaysWhetherThereIsSomethingToRead) {
  std::promise<void> may_answer;
  server->evaluate = [&may_answer](grpc::ServerContext&, auto& stream) {
    Await(may_answer.get_future());
    return AnswerStream(stream, 1'000'000);
  };
  EvaluationStream stream = Open();
  EXPECT_FALSE(stream.Readable());
  stream.Write(Chunk(1));
  EXPECT_FALSE(stream.Readable(milliseconds(10)));
  may_answer.set_value();
  EXPECT_TRUE(stream.Readable(seconds(20)));
  EXPECT_TRUE(stream.Readable());
}

TEST_F(EvaluationStreamTest, CanBeReadToItsEnd) {
  EvaluationStream stream = Open();
  for (int k = 0; k < 5; ++k) stream.Write(Chunk(k));
  stream.EndWriting();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(stream.Read()->tau(0, 0), k);
  EXPECT_EQ(stream.Read(), std::nullopt);
  EXPECT_EQ(ErrorOf([&] { stream.Write(Chunk(5)); }).code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(EvaluationStreamTest, FinishesWithoutBeingRead) {
  std::atomic<bool> ended = false;
  server->evaluate = [&ended](grpc::ServerContext&, auto& stream) {
    grpc::Status status = AnswerStream(stream, 1'000'000, milliseconds(5));
    ended = true;
    return status;
  };
  EvaluationStream stream = Open();
  for (int k = 0; k < 5; ++k) stream.Write(Chunk(k));
  stream.Finish();
  EXPECT_TRUE(ended);
  EXPECT_EQ(stream.unread(), 0);
}

TEST_F(EvaluationStreamTest, TellsAFailureAfterWhatCameBefore) {
  server->evaluate = [](grpc::ServerContext&, auto& stream) {
    AnswerStream(stream, 3);
    return Failure(grpc::StatusCode::INVALID_ARGUMENT, "WRONG_COLUMN_COUNT");
  };
  EvaluationStream stream = Open();
  for (int k = 0; k < 3; ++k) stream.Write(Chunk(k));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(stream.Read()->tau(0, 0), k);
  for (int k = 0; k < 2; ++k) {
    const Error error = ErrorOf([&] { stream.Read(); });
    EXPECT_EQ(error.reason(), v1::WRONG_COLUMN_COUNT) << error.what();
  }
  EXPECT_EQ(ErrorOf([&] { stream.Write(Chunk(3)); }).reason(),
            v1::WRONG_COLUMN_COUNT);
  EXPECT_EQ(ErrorOf([&] { stream.TryWrite(Chunk(3)); }).reason(),
            v1::WRONG_COLUMN_COUNT);
  EXPECT_EQ(ErrorOf([&] { stream.Finish(); }).reason(), v1::WRONG_COLUMN_COUNT);
}

TEST_F(EvaluationStreamTest, TellsWhoOnlyWritesThatItFailed) {
  server->evaluate = [](grpc::ServerContext&, auto& stream) {
    AnswerStream(stream, 2);
    return Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING");
  };
  EvaluationStream stream = OpenOnce(1000);
  const Error error = ErrorOf([&] {
    // There is no room for the last one.
    for (int k = 0; k <= 1000; ++k) stream.Write(Chunk(k));
  });
  EXPECT_EQ(error.reason(), v1::DRAINING);
  // What was answered is still there.
  EXPECT_EQ(stream.Read()->tau(0, 0), 0);
  EXPECT_EQ(stream.Read()->tau(0, 0), 1);
  EXPECT_EQ(ErrorOf([&] { stream.Read(); }).reason(), v1::DRAINING);
}

TEST_F(EvaluationStreamTest, TellsAtOnceThatItsStartIsRefused) {
  server->evaluate = [](grpc::ServerContext&, auto&) {
    return Failure(grpc::StatusCode::NOT_FOUND, "MODEL_NOT_FOUND");
  };
  EvaluationStream stream = Open();
  EXPECT_EQ(ErrorOf([&] { stream.Read(); }).reason(), v1::MODEL_NOT_FOUND);
}

TEST_F(EvaluationStreamTest, RefusesWhatDoesNotGoTogetherAndGoesOn) {
  EvaluationStream stream = Open();
  const States wrong{.q = Batch::Zero(3, 2), .v = Batch::Zero(2, 2)};
  EXPECT_EQ(ErrorOf([&] { stream.Write(wrong); }).reason(),
            v1::WRONG_ROW_COUNT);
  EXPECT_EQ(stream.Exchange(Chunk(7)).tau(0, 0), 7);
}

TEST_F(EvaluationStreamTest, TakesInputsAsTheyComeAndGo) {
  EvaluationStream stream = Open();
  States with_v = Chunk(1);
  with_v.v = Batch::Constant(1, 3, 1);
  EXPECT_EQ(stream.Exchange(with_v).tau(1, 2), 1001);
  EXPECT_EQ(stream.Exchange(Chunk(2)).tau(1, 2), 2);
}

TEST_F(EvaluationStreamTest, SendsTheWrenchOfTheChunkOrOfTheOptions) {
  std::vector<double> seen;
  v1::ReferenceFrame frame = v1::REFERENCE_FRAME_UNSPECIFIED;
  server->evaluate = [&](grpc::ServerContext&, auto& stream) {
    v1::EvaluateRequest request;
    stream.Read(&request);
    frame = request.start().tip_wrench_reference_frame();
    std::uint64_t row = 0;
    while (stream.Read(&request)) {
      double first = 0;
      std::memcpy(&first,
                  request.chunk().tip_wrench_on_environment().f64().data(),
                  sizeof(first));
      seen.push_back(first);
      v1::EvaluateReply reply = Answer(request.chunk());
      reply.set_first_row(row);
      row += reply.rows();
      stream.Write(reply);
    }
    return grpc::Status::OK;
  };
  ComputeOptions options;
  options.tip_wrench_on_environment =
      TipWrench{Batch::Constant(1, 6, 5.0), v1::REFERENCE_FRAME_WORLD};
  EvaluationStream stream = Open(4, options);
  stream.Exchange(Chunk(1));
  stream.Write(Chunk(2), Batch::Constant(2, 6, 8.0));
  stream.Exchange(Chunk(3));
  EXPECT_EQ(ErrorOf([&] {
              stream.Write(Chunk(4), Batch::Constant(3, 6, 8.0));
            }).reason(),
            v1::WRONG_ROW_COUNT);
  stream.Finish();
  EXPECT_THAT(seen, ::testing::ElementsAre(5, 8, 5));
  EXPECT_EQ(frame, v1::REFERENCE_FRAME_WORLD);
}

TEST_F(EvaluationStreamTest, IsCancelledByAnotherThread) {
  server->evaluate = [](grpc::ServerContext& context, auto& stream) {
    AnswerStream(stream, 1);
    return Hang(context);
  };
  for (const bool reads : {true, false}) {
    EvaluationStream stream = Open(2);
    EXPECT_EQ(stream.Exchange(Chunk(0)).tau(0, 0), 0);
    stream.Write(Chunk(1));
    stream.Write(Chunk(2));
    std::jthread other([&stream] {
      std::this_thread::sleep_for(milliseconds(50));
      stream.Cancel();
    });
    const Error error = ErrorOf([&] {
      if (reads) {
        stream.Read();
      } else {
        stream.Write(Chunk(3));  // no room
      }
    });
    EXPECT_EQ(error.code(), grpc::StatusCode::CANCELLED);
  }
}

TEST_F(EvaluationStreamTest, HasADeadlineOnlyWhereItIsGivenOne) {
  server->evaluate = [](grpc::ServerContext& context, auto&) {
    return Hang(context);
  };
  ComputeOptions options;
  options.deadline = milliseconds(150);
  EvaluationStream stream = Open(4, options);
  EXPECT_EQ(ErrorOf([&] { stream.Exchange(Chunk(1)); }).code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);

  ConnectOptions connect;
  connect.deadline = milliseconds(500);
  EvaluationStream endless =
      Client::Connect(server->address(), connect).OpenStream("arm", {kTorque});
  EXPECT_FALSE(endless.Readable(milliseconds(800)));
}

TEST_F(EvaluationStreamTest, TakesNoReplyThatBreaksTheContract) {
  const auto code = [this](const std::function<void(v1::EvaluateReply*)>& edit,
                           int times) {
    server->evaluate = [edit, times](grpc::ServerContext& context,
                                     auto& stream) {
      v1::EvaluateRequest request;
      stream.Read(&request);
      stream.Read(&request);
      v1::EvaluateReply reply = Answer(request.chunk());
      edit(&reply);
      for (int k = 0; k < times; ++k) stream.Write(reply);
      return times == 0 ? grpc::Status::OK : Hang(context);
    };
    EvaluationStream stream = Open();
    stream.Write(Chunk(1));
    return ErrorOf([&] {
             stream.Read();
             stream.Read();
           })
        .code();
  };
  const auto keep = [](v1::EvaluateReply*) {};
  EXPECT_EQ(code([](v1::EvaluateReply* reply) { reply->set_rows(1); }, 1),
            grpc::StatusCode::INTERNAL);
  EXPECT_EQ(code([](v1::EvaluateReply* reply) { reply->set_first_row(1); }, 1),
            grpc::StatusCode::INTERNAL);
  EXPECT_EQ(code([](v1::EvaluateReply* reply) { reply->clear_results(); }, 1),
            grpc::StatusCode::INTERNAL);
  EXPECT_EQ(code(keep, 2), grpc::StatusCode::INTERNAL) << "one too many";
  EXPECT_EQ(code(keep, 0), grpc::StatusCode::INTERNAL) << "one too few";
}

TEST_F(EvaluationStreamTest, TellsThatTheServerWentAway) {
  EvaluationStream stream = OpenOnce();
  stream.Exchange(Chunk(1));
  // Its shutdown waits for nobody.
  server.reset();
  const Error error = ErrorOf([&] { stream.Exchange(Chunk(2)); });
  EXPECT_EQ(error.code(), grpc::StatusCode::UNAVAILABLE) << error.what();
}

TEST_F(EvaluationStreamTest, SendsAgainWhatIsNotAnsweredAndNothingElse) {
  std::atomic<int> calls = 0;
  std::atomic<std::uint64_t> rows = 0;
  std::mutex mutex;
  std::vector<std::string> models;
  server->evaluate = [&](grpc::ServerContext&, auto& stream) {
    const int call = calls++;
    v1::EvaluateRequest request;
    stream.Read(&request);
    {
      const std::lock_guard lock(mutex);
      models.push_back(request.start().model());
    }
    std::uint64_t first = 0;
    // Ends after three chunks, when more of them are on their way.
    for (int k = 0; (call > 4 || k < 3) && stream.Read(&request); ++k) {
      v1::EvaluateReply reply = Answer(request.chunk());
      if (k == 0) reply.mutable_echo()->set_revision(kRevision);
      reply.set_first_row(first);
      first += reply.rows();
      rows += reply.rows();
      stream.Write(reply);
    }
    return call > 4        ? grpc::Status::OK
           : call % 2 == 0 ? Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING")
                           : grpc::Status::CANCELLED;
  };
  constexpr int kChunks = 40;
  EvaluationStream stream = Open(8);
  for (int k = 0; k < kChunks; ++k) {
    if (k >= 8) {
      EXPECT_EQ(stream.Read()->tau(1, 2), k - 8);
    }
    stream.Write(Chunk(k));
  }
  stream.EndWriting();
  for (int k = kChunks - 8; k < kChunks; ++k) {
    const auto evaluation = stream.Read();
    EXPECT_EQ(evaluation->tau, Batch::Constant(2, 3, k));
    EXPECT_EQ(evaluation->echo.revision(), kRevision);
  }
  EXPECT_EQ(stream.Read(), std::nullopt);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(rows, 2u * kChunks);
  // All are of the revision that the first ones came from.
  EXPECT_EQ(models.front(), "arm");
  for (std::size_t k = 1; k < models.size(); ++k) {
    EXPECT_EQ(models[k], "@" + kRevision);
  }
}

TEST_F(EvaluationStreamTest, GoesOnWithTheServerThatComesNext) {
  const int port = server->port();
  EvaluationStream stream = Open();
  EXPECT_EQ(stream.Exchange(Chunk(1)).tau(0, 0), 1);
  server.reset();
  stream.Write(Chunk(2));
  EXPECT_FALSE(stream.Readable(milliseconds(200)));
  server = std::make_unique<FakeServer>(port);
  server->evaluate = [](grpc::ServerContext&, auto& answered) {
    return AnswerStream(answered, 1'000'000);
  };
  EXPECT_EQ(stream.Read()->tau(0, 0), 2);
  EXPECT_EQ(stream.Exchange(Chunk(3)).tau(0, 0), 3);
  stream.Finish();
}

TEST_F(EvaluationStreamTest, SaysWhatFailedWhereNobodyComesUntilTheDeadline) {
  ConnectOptions connect;
  int waits = 0;
  connect.waiting = [&waits](const Error&, std::chrono::nanoseconds) {
    ++waits;
  };
  ComputeOptions options;
  options.deadline = seconds(2);
  EvaluationStream stream = Client::Connect(server->address(), connect)
                                .OpenStream("arm", {kTorque}, options);
  stream.Exchange(Chunk(1));
  server.reset();
  const Error error = ErrorOf([&] { stream.Exchange(Chunk(2)); });
  EXPECT_EQ(error.code(), grpc::StatusCode::UNAVAILABLE) << error.what();
  EXPECT_GE(waits, 2);
}

TEST_F(EvaluationStreamTest, EndsAWaitForTheNextServerWhenItIsCancelled) {
  std::optional<EvaluationStream> stream;
  std::promise<void> waits;
  ConnectOptions connect;
  connect.waiting = [&waits, told = false](const Error&,
                                           std::chrono::nanoseconds) mutable {
    if (!std::exchange(told, true)) waits.set_value();
  };
  stream =
      Client::Connect(server->address(), connect).OpenStream("arm", {kTorque});
  stream->Exchange(Chunk(1));
  server.reset();
  auto error = std::async(std::launch::async, [&] {
    return ErrorOf([&] { stream->Exchange(Chunk(2)); });
  });
  Await(waits.get_future());
  stream->Cancel();
  EXPECT_EQ(Await(error).code(), grpc::StatusCode::CANCELLED);
}

TEST_F(EvaluationStreamTest, CountsAFailureFromTheStartOfTheWhole) {
  std::atomic<int> calls = 0;
  server->evaluate = [&calls](grpc::ServerContext&, auto& stream) {
    AnswerStream(stream, 3);
    return ++calls == 1
               ? Failure(grpc::StatusCode::UNAVAILABLE, "DRAINING")
               : Failure(grpc::StatusCode::INVALID_ARGUMENT, "INVALID_FIELD");
  };
  EvaluationStream stream = Open();
  for (int k = 0; k < 7; ++k) stream.Write(Chunk(k));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(stream.Read()->tau(0, 0), k);
  const Error error = ErrorOf([&] { stream.Read(); });
  EXPECT_EQ(error.reason(), v1::INVALID_FIELD);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("from row 6 on"));
}

TEST_F(EvaluationStreamTest, MayGoAwayAtAnyTime) {
  for (int chunks = 0; chunks < 4; ++chunks) {
    EvaluationStream stream = Open();
    for (int k = 0; k < chunks; ++k) stream.Write(Chunk(k));
    if (chunks == 3) stream = Open();
    EvaluationStream moved = std::move(stream);
    if (chunks > 1) moved.Readable(milliseconds(1));
  }
}

}  // namespace
}  // namespace torqued::client
