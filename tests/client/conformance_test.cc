// The cases that the clients of all languages pass: in one call, in parts, and
// without waiting.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "client/cpp/client.h"
#include "client/cpp/local_server.h"
#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

using Json = nlohmann::json;

double Number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_null() || json == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (json == "Infinity") return infinity;
  if (json == "-Infinity") return -infinity;
  throw std::invalid_argument("no number: " + json.dump());
}

/// Rows of numbers, or one number a row.
Batch Table(const Json& rows) {
  const bool single = !rows.empty() && !rows[0].is_array();
  Batch table(rows.size(), single ? 1 : rows.empty() ? 0 : rows[0].size());
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    const Json& row = rows[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < table.cols(); ++j) {
      table(i, j) = Number(single ? row : row[static_cast<std::size_t>(j)]);
    }
  }
  return table;
}

template <class Enum>
Enum Parsed(bool (*parse)(google::protobuf::ConstStringParam, Enum*),
            const char* prefix, const Json& name) {
  Enum value{};
  if (!parse(prefix + name.get<std::string>(), &value)) {
    throw std::invalid_argument("no such enum: " + name.dump());
  }
  return value;
}

/// With the contract's names of enum values, which the cases abbreviate.
Json WithFullNames(const Json& json,
                   const google::protobuf::Descriptor& message) {
  Json full = Json::object();
  for (const auto& [key, value] : json.items()) {
    const google::protobuf::FieldDescriptor* field =
        message.FindFieldByName(key);
    if (field == nullptr) throw std::invalid_argument(key);
    const auto convert = [field](const Json& one) -> Json {
      if (field->message_type() != nullptr) {
        return WithFullNames(one, *field->message_type());
      }
      if (field->enum_type() == nullptr) return one;
      const std::string& first = field->enum_type()->value(0)->name();
      return first.substr(0, first.rfind('_') + 1) + one.get<std::string>();
    };
    if (!field->is_repeated()) {
      full[key] = convert(value);
      continue;
    }
    full[key] = Json::array();
    for (const Json& one : value) full[key].push_back(convert(one));
  }
  return full;
}

void Fill(const Json& one, const char* key,
          google::protobuf::Message* message) {
  if (!one.contains(key)) return;
  const auto status = google::protobuf::util::JsonStringToMessage(
      WithFullNames(one[key], *message->GetDescriptor()).dump(), message);
  if (!status.ok()) throw std::invalid_argument(status.ToString());
}

void SetStates(const Json& json, States* states) {
  std::map<std::string, Batch*> tables = {
#define TORQUED_INPUT_TABLE(name) {#name, &states->name},
#include "torqued/v1/tables.inc"
  };
  for (const auto& [key, rows] : json.items()) {
    *tables.at(key) = Table(rows);
  }
}

/// What is wrong with a table of results.
std::string CompareTable(const std::string& name, const Batch& got,
                         const Batch& expected, double tolerance) {
  if (got.rows() != expected.rows() || got.cols() != expected.cols()) {
    return name + " is of another size";
  }
  for (Eigen::Index i = 0; i < got.rows(); ++i) {
    double scale = 1;
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
      scale = std::fmax(scale, std::abs(expected(i, j)));
    }
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
      const bool same =
          std::isnan(expected(i, j))
              ? std::isnan(got(i, j))
              : std::abs(got(i, j) - expected(i, j)) <= tolerance * scale;
      if (same) continue;
      std::ostringstream text;
      text.precision(17);
      text << name << "(" << i << ", " << j << ") is " << got(i, j) << ", not "
           << expected(i, j);
      return text.str();
    }
  }
  return {};
}

template <class T>
Batch AsColumn(const std::vector<T>& numbers) {
  Batch column(numbers.size(), 1);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    column(static_cast<Eigen::Index>(k), 0) = static_cast<double>(numbers[k]);
  }
  return column;
}

std::string CompareResult(const Evaluation& evaluation, const std::string& name,
                          const Json& rows, double tolerance) {
  if (name == "rule") {
    Json got = Json::array();
    for (const v1::TaskRule rule : evaluation.rule) {
      got.push_back(v1::TaskRule_Name(rule).substr(sizeof("TASK_RULE_") - 1));
    }
    return got == rows ? "" : "rule is " + got.dump();
  }
  if (name == "rank") {
    return CompareTable(name, AsColumn(evaluation.rank), Table(rows), 0);
  }
  if (name == "sigma_min") {
    return CompareTable(name, AsColumn(evaluation.sigma_min), Table(rows),
                        tolerance);
  }
  for (const ResultField& field : ResultFields()) {
    if (field.name != name) continue;
    return CompareTable(name, evaluation.*field.batch, Table(rows), tolerance);
  }
  return "there is no result " + name;
}

std::string CompareStatus(const v1::RowStatus& got, const Json& expected) {
  const double value =
      expected.contains("value") ? Number(expected["value"]) : got.value();
  const bool same_value =
      got.value() == value || (std::isnan(got.value()) && std::isnan(value));
  if (got.row() == expected["row"] &&
      v1::RowCode_Name(got.code()) ==
          "ROW_CODE_" + expected["code"].get<std::string>() &&
      got.field() == expected.value("field", got.field()) &&
      got.joint() == expected.value("joint", got.joint()) && same_value &&
      !got.message().empty()) {
    return {};
  }
  return "not the status of " + expected.dump() + ": " + got.ShortDebugString();
}

std::string CompareRows(const Evaluation& evaluation, const Json& expected) {
  if (evaluation.row_status.size() != expected.size() ||
      evaluation.rows_not_ok != static_cast<std::int64_t>(expected.size())) {
    return std::to_string(evaluation.rows_not_ok) + " rows are not OK";
  }
  for (std::size_t k = 0; k < expected.size(); ++k) {
    std::string wrong = CompareStatus(evaluation.row_status[k], expected[k]);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

/// All of cases.json.
const Json& ConformanceSuite() {
  static const Json* const suite = [] {
    std::ifstream file(TORQUED_CONFORMANCE_CASES);
    return new Json(Json::parse(file));
  }();
  return *suite;
}

struct Question {
  std::string model;
  std::vector<v1::Quantity> quantities;
  States states;
  ComputeOptions options;
};

/// Of a case that computes. Throws where a case has what this does not know.
Question QuestionOf(const Json& one) {
  Question question;
  question.model = one["model"];
  for (const Json& name : one["quantities"]) {
    question.quantities.push_back(
        Parsed(v1::Quantity_Parse, "QUANTITY_", name));
  }
  SetStates(one["states"], &question.states);
  Fill(one, "options", &question.options.options);
  Fill(one, "operational_space", &question.options.operational_space);
  if (one.contains("tip_wrench_reference_frame")) {
    question.options.tip_wrench_reference_frame =
        Parsed(v1::ReferenceFrame_Parse, "REFERENCE_FRAME_",
               one["tip_wrench_reference_frame"]);
  }
  return question;
}

std::string Compare(const Evaluation& evaluation, const Json& expect) {
  if (evaluation.rows != expect["rows"]) {
    return std::to_string(evaluation.rows) + " rows";
  }
  for (const auto& [name, rows] : expect["results"].items()) {
    std::string wrong =
        CompareResult(evaluation, name, rows, expect.value("tolerance", 1e-10));
    if (!wrong.empty()) return wrong;
  }
  const v1::Echo& echo = evaluation.echo;
  if (expect.value("tip_frame", echo.tip_frame()) != echo.tip_frame()) {
    return "the tip frame is " + echo.tip_frame();
  }
  const Json names =
      std::vector(echo.joint_names().begin(), echo.joint_names().end());
  if (expect.value("joint_names", names) != names) {
    return "the joints are " + names.dump();
  }
  return CompareRows(evaluation, expect.value("row_status", Json::array()));
}

std::string Compare(const Error& error, const Json& expected) {
  const Error::Details& details = error.details();
  Json got;
  for (const auto& [name, text] : details.metadata) {
    got[name] = name == "row" ? Json::parse(text) : Json(text);
  }
  got["code"] = ToString(error.code());
  got["reason"] = details.reason;
  if (!details.field_violations.empty()) {
    got["field"] = details.field_violations[0].field;
  }
  for (const auto& [name, value] : expected.items()) {
    if (got.value(name, Json()) != value) {
      return "not " + expected.dump() + ": " + got.dump() + error.what();
    }
  }
  return error.what()[0] == '\0' ? "no sentence" : "";
}

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

  static inline LocalServer* server_ = nullptr;
  static inline Client* client_ = nullptr;
  static inline Client* in_parts_ = nullptr;
};

void CheckAll(const std::function<Evaluation(const Question&)>& ask) {
  std::set<std::string> unsaid;
  int asked = 0;
  for (const Json& one : ConformanceSuite()["cases"]) {
    if (one.contains("register")) continue;
    const std::string name = one["name"];
    if (kUnsayable.contains(name)) {
      unsaid.insert(name);
      continue;
    }
    const Question question = QuestionOf(one);
    EXPECT_EQ(Check(one["expect"], [&] { return ask(question); }), "") << name;
    ++asked;
  }
  EXPECT_EQ(unsaid, kUnsayable);
  EXPECT_GT(asked, 100);
}

TEST_F(Conformance, InOneCallAndInParts) {
  for (const Client* client : {client_, in_parts_}) {
    CheckAll([client](const Question& question) {
      return client->Compute(question.model, question.quantities,
                             question.states, question.options);
    });
  }
}

TEST_F(Conformance, WithoutWaiting) {
  CheckAll([](const Question& question) {
    return client_
        ->ComputeAsync(question.model, question.quantities, question.states,
                       question.options)
        .Get();
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
