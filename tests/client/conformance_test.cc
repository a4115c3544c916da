// The cases that the clients of all languages pass: in one call, in parts, and
// without waiting.
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
std::string Check(const Json& expect, const std::function<Evaluation()>& ask) {
  try {
    const Evaluation evaluation = ask();
    if (expect.contains("error")) return "there is no error";
    return Compare(evaluation, expect);
  } catch (const Error& error) {
    if (!expect.contains("error")) return error.what();
    return Compare(error, expect["error"]);
  }
}

class Conformance : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new LocalServer({.binary = TORQUED_SERVER_BINARY});
    client_ = new Client(Client::Connect(server_->address()));
    in_parts_ =
        new Client(Client::Connect(server_->address(), {.chunk_rows = 2}));
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
    delete in_parts_;
    delete client_;
    delete server_;
  }

  static Evaluation Call(const Client& client, const Question& question) {
    return client.Compute(question.model, question.quantities, question.states,
                          question.options);
  }

  static LocalServer* server_;
  static Client* client_;
  static Client* in_parts_;
};

LocalServer* Conformance::server_ = nullptr;
Client* Conformance::client_ = nullptr;
Client* Conformance::in_parts_ = nullptr;

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
    return Check(expect, [&] { return Call(*client_, question); });
  });
}

TEST_F(Conformance, InParts) {
  CheckAll([](const Question& question, const Json& expect) {
    return Check(expect, [&] { return Call(*in_parts_, question); });
  });
}

TEST_F(Conformance, WithoutWaiting) {
  CheckAll([](const Question& question, const Json& expect) {
    return Check(expect, [&] {
      return client_
          ->ComputeAsync(question.model, question.quantities, question.states,
                         question.options)
          .Get();
    });
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
    EXPECT_EQ(Check(one["expect"],
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
