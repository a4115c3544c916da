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

/// The states from a row on, and the tip wrench with them; what has one row for
/// all stays.
Question RowsOf(const Question& question, Eigen::Index first,
                Eigen::Index count);
Eigen::Index RowCount(const Question& question);

/// `expect` of a case for its rows from `first` on, counted from there.
Json ExpectedRows(const Json& expect, std::size_t first, std::size_t count);

/// What is wrong with an answer, or an empty text.
std::string Compare(const Evaluation& evaluation, const Json& expect);
/// The same for `expect.error`. `in_stream`: the field may stand in a message
/// of a stream.
std::string Compare(const Error& error, const Json& expected, bool in_stream);

}  // namespace torqued::client
