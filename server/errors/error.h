// A refusal, before it becomes a gRPC status.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "torqued/v1/errors.pb.h"

namespace torqued::server {

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
};

template <class T>
using OrError = std::variant<T, Error>;

/// An error about one field: the sentence is its description too.
Error FieldError(v1::Reason reason, std::string field, std::string message);

/// Of a part of a stream's message: paths from the message on, "chunk." before
/// them for example, also where the sentence begins with one. What the part
/// meets in the options is the start's.
Error InMessage(Error error, std::string_view message);

}  // namespace torqued::server
