// Replies to the calls of a batch, as the client meets them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "client/cpp/wire.h"
#include "fuzz_inputs.pb.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

using client::Evaluation;

/// As AsyncBatch does with the replies to its calls.
void Join(const ReplyInput& input, std::int64_t rows) {
  constexpr std::int64_t kRows = 3;
  Evaluation whole;
  whole.rows = rows;
  std::int64_t first = 0;
  for (const v1::ComputeReply& sent : input.replies()) {
    v1::ComputeReply reply;
    if (first == rows || !ThroughTheWire(sent, &reply)) return;
    const client::RowRange range{first, std::min(kRows, rows - first)};
    client::Join(reply, range, &whole);
    first += range.count;
  }
}

void Run(const ReplyInput& input) {
  try {
    Join(input, input.rows() % 64);
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
