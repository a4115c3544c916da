// The cases that the clients of all languages pass: in one call, through a
// stream, without waiting, and through a stream that stays open.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "client/cpp/client.h"
#include "client/cpp/local_server.h"
#include "tests/client/conformance.h"

namespace torqued::client {
namespace {

/// What the types of this client cannot say.
const std::set<std::string> kUnsayable = {
    "a gravity of two numbers",           // of a vector of three
    "damping under the rule to report"};  // damping is the rule

/// Compares what a function returns or throws with what a case expects.
std::string Check(const Json& expect, bool in_stream,
                  const std::function<Evaluation()>& ask) {
  try {
    const Evaluation evaluation = ask();
    if (expect.contains("error")) return "there is no error";
    return Compare(evaluation, expect);
  } catch (const Error& error) {
    if (!expect.contains("error")) return error.what();
    return Compare(error, expect["error"], in_stream);
  }
}

/// Chunk by chunk, all of them under way before the first is read.
std::string CheckOpenStream(const Client& client, const Question& question,
                            const Json& expect) {
  constexpr Eigen::Index kRows = 2;
  const Eigen::Index total = RowCount(question);
  try {
    EvaluationStream stream = client.OpenStream(
        question.model, question.quantities, question.options);
    for (Eigen::Index row = 0; row < total; row += kRows) {
      const Question part = RowsOf(question, row, std::min(kRows, total - row));
      if (const auto& wrench = part.options.tip_wrench_on_environment) {
        stream.Write(part.states, wrench->wrench);
      } else {
        stream.Write(part.states);
      }
    }
    stream.EndWriting();
    std::size_t first = 0;
    while (const auto evaluation = stream.Read()) {
      if (expect.contains("error")) {
        // Of a later chunk.
        first += static_cast<std::size_t>(evaluation->rows);
        continue;
      }
      const auto count = static_cast<std::size_t>(evaluation->rows);
      const std::string wrong =
          Compare(*evaluation, ExpectedRows(expect, first, count));
      if (!wrong.empty()) return wrong;
      first += count;
    }
    if (expect.contains("error")) return "there is no error";
    return first == expect["rows"] ? "" : "rows are missing";
  } catch (const Error& error) {
    if (!expect.contains("error")) return error.what();
    return Compare(error, expect["error"], true);
  }
}

class Conformance : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new LocalServer({.binary = TORQUED_SERVER_BINARY});
    ConnectOptions options;
    options.chunk_rows = 2;
    client_ = new Client(Client::Connect(server_->address(), options));
    for (const auto& [name, path] : ConformanceSuite()["models"].items()) {
      std::ifstream file(std::string(TORQUED_EXAMPLE_MODELS) + "/" +
                         path.get<std::string>());
      v1::RegisterModelRequest request;
      request.set_name(name);
      request.set_source(std::string(std::istreambuf_iterator<char>(file), {}));
      client_->RegisterModel(request);
    }
  }
  static void TearDownTestSuite() {
    delete client_;
    delete server_;
  }

  static Evaluation Call(const Question& question) {
    return client_->Compute(question.model, question.quantities,
                            question.states, question.options);
  }

  static LocalServer* server_;
  static Client* client_;
};

LocalServer* Conformance::server_ = nullptr;
Client* Conformance::client_ = nullptr;

using Way = std::function<std::string(const Question&, const Json& expect)>;

void CheckAll(const Way& way) {
  std::set<std::string> unsaid;
  int asked = 0;
  for (const Json& one : ConformanceSuite()["cases"]) {
    if (one.contains("register")) continue;
    const std::string name = one["name"];
    if (kUnsayable.contains(name)) {
      unsaid.insert(name);
      continue;
    }
    EXPECT_EQ(way(QuestionOf(one), one["expect"]), "") << name;
    ++asked;
  }
  EXPECT_EQ(unsaid, kUnsayable);
  EXPECT_GT(asked, 100);
}

TEST_F(Conformance, InOneCall) {
  CheckAll([](const Question& question, const Json& expect) {
    return Check(expect, false, [&] { return Call(question); });
  });
}

TEST_F(Conformance, ThroughAStream) {
  CheckAll([](const Question& question, const Json& expect) {
    return Check(expect, true, [&] {
      return client_->Evaluate(question.model, question.quantities,
                               question.states, question.options);
    });
  });
}

TEST_F(Conformance, WithoutWaiting) {
  CheckAll([](const Question& question, const Json& expect) {
    return Check(expect, false, [&] {
      return client_
          ->ComputeAsync(question.model, question.quantities, question.states,
                         question.options)
          .Get();
    });
  });
}

TEST_F(Conformance, ThroughAStreamThatStaysOpen) {
  CheckAll([](const Question& question, const Json& expect) {
    // Where rows differ in number, they are cut before they can be compared.
    if (expect.contains("error") &&
        expect["error"]["reason"] == "WRONG_ROW_COUNT") {
      return Check(expect, true, [&] {
        client_->OpenStream(question.model, question.quantities)
            .Write(question.states);
        return Evaluation();
      });
    }
    return CheckOpenStream(*client_, question, expect);
  });
}

TEST_F(Conformance, RefusesModels) {
  int asked = 0;
  for (const Json& one : ConformanceSuite()["cases"]) {
    if (!one.contains("register")) continue;
    v1::RegisterModelRequest request;
    request.set_name(one["register"]["name"]);
    request.set_source(one["register"]["urdf"].get<std::string>());
    if (one["register"].contains("expected_current")) {
      request.set_expected_current(one["register"]["expected_current"]);
    }
    EXPECT_EQ(Check(one["expect"], false,
                    [&] {
                      client_->RegisterModel(request);
                      return Evaluation();
                    }),
              "")
        << one["name"];
    ++asked;
  }
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace torqued::client
