// What torquectl tells its caller, and what goes wrong on this side of the
// wire.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace torqued::cli {

enum class ExitCode : int {
  kOk = 0,
  /// No connection, a refusal of the server, a file that cannot be used.
  kError = 1,
  /// The answer is there, and it says no.
  kNo = 2,
  /// The command line makes no sense (EX_USAGE).
  kUsage = 64,
};

/// The message is put together from pieces, as Cat does.
class PlacedError : public std::runtime_error {
 public:
  explicit PlacedError(std::string place, const auto&... message)
      : std::runtime_error(Cat(message...)), place_(std::move(place)) {}
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// The command line makes no sense; the place is an option, "--gravity".
class UsageError : public PlacedError {
 public:
  using PlacedError::PlacedError;
};

/// A file cannot be used; the place is "states.csv" or "states.csv:12".
class DataError : public PlacedError {
 public:
  using PlacedError::PlacedError;
};

/// A JSON or YAML file of another kind.
class NotATrajectory : public DataError {
 public:
  using DataError::DataError;
};

/// The command has failed, and has said on stderr how.
class AlreadyTold : public std::exception {};

/// Throws DataError if it does not hold.
void RequireData(bool holds, const std::string& place, const auto&... message) {
  if (!holds) throw DataError(place, message...);
}

}  // namespace torqued::cli
