// What goes wrong on this side of the wire.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace torqued::cli {

/// The command line makes no sense.
class UsageError : public std::runtime_error {
 public:
  UsageError(std::string option, const std::string& message)
      : std::runtime_error(message), option_(std::move(option)) {}
  /// "--gravity"; may be empty.
  const std::string& option() const { return option_; }

 private:
  std::string option_;
};

/// A file cannot be used.
class DataError : public std::runtime_error {
 public:
  DataError(std::string place, const std::string& message)
      : std::runtime_error(message), place_(std::move(place)) {}
  /// "states.csv" or "states.csv:12".
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// A JSON or YAML file of another kind.
class NotATrajectory : public DataError {
 public:
  using DataError::DataError;
};

/// The command has failed, and has said on stderr how.
class AlreadyTold : public std::exception {};

}  // namespace torqued::cli
