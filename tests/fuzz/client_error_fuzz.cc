// Trailers of failed calls, as the client meets them.
#include <google/protobuf/stubs/logging.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "client/cli/request_flags.h"
#include "client/cpp/error.h"
#include "client/cpp/retry.h"
#include "fuzz_inputs.pb.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

std::string Trailer(const TrailerInput& input) {
  if (!input.bytes().empty()) return input.bytes();
  v1::Status status;
  status.set_code(input.code());
  status.set_message(input.message());
  for (const TrailerInput::Detail& detail : input.details()) {
    google::protobuf::Any* any = status.add_details();
    any->set_type_url(detail.type_url());
    switch (detail.value_case()) {
      case TrailerInput::Detail::kErrorInfo:
        any->set_value(detail.error_info().SerializeAsString());
        break;
      case TrailerInput::Detail::kBadRequest:
        any->set_value(detail.bad_request().SerializeAsString());
        break;
      case TrailerInput::Detail::kRetryInfo:
        any->set_value(detail.retry_info().SerializeAsString());
        break;
      case TrailerInput::Detail::kOther:
        any->set_value(detail.other());
        break;
      case TrailerInput::Detail::VALUE_NOT_SET:
        break;
    }
  }
  return status.SerializeAsString();
}

// Nothing that a stranger sends keeps a caller beyond its deadline.
void CheckRetry(const client::Error& error) {
  const auto delay = error.details().retry_delay;
  FUZZ_REQUIRE(!delay || *delay >= std::chrono::nanoseconds::zero(),
               "a delay before now");
  const client::Clock::time_point now{std::chrono::hours(1)};
  const std::chrono::seconds left(10);
  const auto next = client::RetrySchedule(now + left).NextDelay(error, now);
  FUZZ_REQUIRE(
      !next || (*next > std::chrono::nanoseconds::zero() && *next < left),
      "delay");
}

// What a person sees does not steer the terminal.
void CheckReport(const client::Error& error) {
  std::ostringstream out;
  cli::PrintError(error, {}, out);
  const std::string text = out.str();
  FUZZ_REQUIRE(text.starts_with("torquectl: ") && text.ends_with('\n'), text);
  for (const unsigned char c : text) {
    FUZZ_REQUIRE(c == '\n' || (c >= 0x20 && c != 0x7F), text);
  }
}

void Decode(const TrailerInput& input) {
  const google::protobuf::LogSilencer silence;
  // As many as the type can hold.
  const auto code = static_cast<grpc::StatusCode>(input.code() & 31);
  const client::Error error =
      client::DecodeError(grpc::Status(code, input.message(), Trailer(input)));
  FUZZ_REQUIRE(error.code() == code, input.message());
  // what() ends at the first NUL.
  FUZZ_REQUIRE(input.message().starts_with(error.what()), error.what());
  FUZZ_REQUIRE(v1::Reason_IsValid(error.reason()), error.what());
  CheckRetry(error);
  CheckReport(error);
}

}  // namespace

std::unique_ptr<google::protobuf::Message> NewInput() {
  return std::make_unique<TrailerInput>();
}

std::span<const std::string> Words() {
  static const std::vector<std::string> words = {
      "type.googleapis.com/google.rpc.ErrorInfo",
      "type.googleapis.com/google.rpc.BadRequest",
      "type.googleapis.com/google.rpc.RetryInfo",
      "google.rpc.ErrorInfo",
      "INVALID_MODEL",
      "OVERLOADED",
      "source:42",
      "limit"};
  return words;
}

}  // namespace torqued::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  torqued::fuzz::TrailerInput input;
  if (!torqued::fuzz::ParseInput(torqued::fuzz::Text(data, size), &input)) {
    return -1;
  }
  torqued::fuzz::Decode(input);
  return 0;
}
