// The cases of tests/conformance, as questions to the client.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/cpp/client.h"

namespace torqued::client {

using Json = nlohmann::json;

/// All of cases.json.
const Json& ConformanceSuite();

struct Question {
  std::string model;
  std::vector<v1::Quantity> quantities;
  States states;
  ComputeOptions options;
};

/// Of a case that computes. Throws where a case has what this does not know.
Question QuestionOf(const Json& one);

/// What is wrong with an answer, or an empty text.
std::string Compare(const Evaluation& evaluation, const Json& expect);
/// The same for `expect.error`.
std::string Compare(const Error& error, const Json& expected);

}  // namespace torqued::client
