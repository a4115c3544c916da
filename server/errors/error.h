// A refusal, and the gRPC status with machine-readable details that it becomes.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "torqued/v1/errors.pb.h"

namespace torqued {
struct ArgumentError;
}

namespace torqued::server {

struct ModelEntry;
struct RegistryError;

/// One offending field of the request, see v1.BadRequest.
struct Violation {
  std::string field;
  std::string description;
};

/// Texts may be of any length and content: ToStatus bounds and cleans them.
struct Error {
  v1::Reason reason = v1::INTERNAL_ERROR;
  std::string message;  // one sentence
  std::vector<Violation> violations;
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Present where a later try may succeed.
  std::optional<std::chrono::milliseconds> retry_after;
  /// Ends the sentence, for a client that may use all models: their names.
  std::string hint = {};
};

template <class T>
using OrError = std::variant<T, Error>;

inline Error MakeError(
    v1::Reason reason, std::string message,
    std::vector<std::pair<std::string, std::string>> metadata = {}) {
  return {reason, std::move(message), {}, std::move(metadata), {}};
}

/// An error about one field: the sentence is its description too.
Error FieldError(v1::Reason reason, std::string field, std::string message);

/// With `message`, as "chunk.", before its paths; options have "start.".
Error InMessage(Error error, std::string_view message);

/// `tip_wrench_array`: path of the wrench's array in the request.
Error ToError(ArgumentError argument, std::string_view tip_wrench_array =
                                          "tip_wrench_on_environment.wrench");
/// The findings of a refused model become violations of "source:<line>".
Error ToError(const RegistryError& registry);
Error BrokenModel(const ModelEntry& entry);

grpc::StatusCode CodeOf(v1::Reason reason);

/// Size that the serialized details stay below: trailers of over 8 KB lose the
/// error itself, and binary trailers travel in base64.
inline constexpr std::size_t kMaxDetailsBytes = 4096;

/// With v1.Status as details. The first violations that fit are listed; when
/// some are left out, metadata "violations" holds their total.
grpc::Status ToStatus(const Error& error);

/// Text for a protobuf string: at most `max_bytes` bytes of valid UTF-8. Other
/// bytes become U+FFFD. A longer text is cut between characters and marked by
/// "...". Needs max_bytes >= 3.
std::string CleanText(std::string_view text, std::size_t max_bytes);

}  // namespace torqued::server
