// Replies to the calls of a batch, as the client meets them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "client/cpp/wire.h"
#include "fuzz_inputs.pb.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

using client::Batch;
using client::Evaluation;

void CheckRows(const Batch& batch, std::int64_t rows, bool asked) {
  FUZZ_REQUIRE(asked ? batch.rows() == rows : batch.size() == 0, "rows");
}

void Check(const Evaluation& result,
           const std::vector<v1::Quantity>& quantities, bool sigma_min) {
  FUZZ_REQUIRE(result.rows >= 0 && result.rows_not_ok >= 0, "counts");
  const auto asked = [&](v1::Quantity quantity) {
    return std::find(quantities.begin(), quantities.end(), quantity) !=
           quantities.end();
  };
  const std::int64_t n = result.rows;
  CheckRows(result.tau, n, asked(v1::QUANTITY_INVERSE_DYNAMICS));
  CheckRows(result.mass_matrix, n, asked(v1::QUANTITY_MASS_MATRIX));
  CheckRows(result.a, n, asked(v1::QUANTITY_FORWARD_DYNAMICS));
  CheckRows(result.bias, n, asked(v1::QUANTITY_BIAS_FORCES));
  CheckRows(result.pose, n, asked(v1::QUANTITY_FRAME_POSE));
  CheckRows(result.jacobian, n, asked(v1::QUANTITY_JACOBIAN));
  CheckRows(result.jacobian_drift, n, asked(v1::QUANTITY_JACOBIAN_DRIFT));
  const bool task = asked(v1::QUANTITY_OPERATIONAL_SPACE);
  CheckRows(result.lambda, n, task);
  CheckRows(result.eta, n, task);
  if (task) {
    const auto rows = static_cast<std::size_t>(n);
    FUZZ_REQUIRE(result.rank.size() == rows, "rank");
    FUZZ_REQUIRE(result.sigma_min.size() == (sigma_min ? rows : 0),
                 "sigma_min");
    FUZZ_REQUIRE(result.rule.size() == rows, "rule");
  }
  for (const v1::RowStatus& status : result.row_status) {
    FUZZ_REQUIRE(status.row() < static_cast<std::uint64_t>(n), "row");
  }
}

/// As AsyncBatch does with the replies to its calls.
Evaluation Join(const ReplyInput& input,
                const std::vector<v1::Quantity>& quantities,
                const client::ComputeOptions& options, std::int64_t rows) {
  constexpr std::int64_t kRows = 3;
  Evaluation whole;
  std::int64_t first = 0;
  for (const v1::ComputeReply& sent : input.replies()) {
    v1::ComputeReply reply;
    if (!ThroughTheWire(sent, &reply)) break;
    if (input.replies_size() == 1) {
      return client::JoinOne(reply, quantities, options, rows);
    }
    if (first == 0) whole = client::BeginJoin(reply, rows);
    const client::RowRange range{first, std::min(kRows, rows - first)};
    client::Join(reply, quantities, options.operational_space.sigma_min(),
                 range, &whole);
    first += range.count;
    if (first == rows) return whole;
  }
  throw client::Error(grpc::StatusCode::INTERNAL, "rows are missing");
}

void Run(const ReplyInput& input) {
  client::States states;
  states.q = Batch::Ones(input.rows() % 64, input.joints() % 5);
  std::vector<v1::Quantity> quantities;
  for (const int quantity : input.quantities()) {
    quantities.push_back(static_cast<v1::Quantity>(quantity));
  }
  try {
    client::ComputeOptions options;
    options.operational_space.set_sigma_min(input.sigma_min());
    Check(Join(input, quantities, options, client::CountStates(states)),
          quantities, input.sigma_min());
  } catch (const client::Error& error) {
    FUZZ_REQUIRE(*error.what() != '\0' && std::strlen(error.what()) < 500,
                 error.what());
    FUZZ_REQUIRE(error.code() != grpc::StatusCode::OK, error.what());
  }
}

}  // namespace

std::unique_ptr<google::protobuf::Message> NewInput() {
  return std::make_unique<ReplyInput>();
}

std::span<const std::string> Words() { return {}; }

}  // namespace torqued::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  torqued::fuzz::ReplyInput input;
  if (!torqued::fuzz::ParseInput(torqued::fuzz::Text(data, size), &input)) {
    return -1;
  }
  torqued::fuzz::Run(input);
  return 0;
}
