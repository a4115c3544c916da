// Exit codes of torquectl, and errors on this side of the wire.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "core/base/text.h"

namespace torqued::cli {

enum class ExitCode : int {
  kOk = 0,
  /// No connection, a refusal of the server, a file that cannot be used.
  kError = 1,
  /// The answer is there, and it says no.
  kNo = 2,
  /// The command line is wrong (EX_USAGE).
  kUsage = 64,
};

/// The command line is wrong. The text is "--gravity: MESSAGE", put together as
/// Cat does.
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& option, const auto&... message)
      : std::runtime_error(Cat(option, ": ", message...)) {}
};

/// A file cannot be used; the place is "states.csv" or "states.csv:12".
struct DataError : std::runtime_error {
  explicit DataError(const std::string& place, const auto&... message)
      : std::runtime_error(Cat(place, ": ", message...)) {}
};

/// A JSON or YAML file of another kind.
struct NotATrajectory : DataError {
  using DataError::DataError;
};

/// The command has failed, and has said on stderr how.
struct AlreadyTold : std::exception {};

/// Throws DataError if it does not hold.
void RequireData(bool holds, const std::string& place, const auto&... message) {
  if (!holds) throw DataError(place, message...);
}

}  // namespace torqued::cli
