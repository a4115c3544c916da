// Why a call failed.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "torqued/v1/errors.pb.h"

namespace torqued::client {

/// A field of the request that the server found at fault.
struct FieldViolation {
  std::string field;        // "q", "options.joint_names[3]", "source:42"
  std::string description;  // one sentence for a person
};

/// Thrown by every call of this library that fails: by the server's word, by
/// the connection's, or because a reply breaks the contract. Branch on code()
/// and reason(); texts may change. They are as the server sent them: a name in
/// what() may hold control characters, on which a terminal acts.
class Error : public std::runtime_error {
 public:
  struct Details {
    /// A name of the enum torqued.v1.Reason; empty where the failure did not
    /// come from the service (no connection, deadline, a proxy).
    std::string reason;
    std::map<std::string, std::string> metadata;
    std::vector<FieldViolation> field_violations;
    /// How long the server asks to wait before another try.
    std::optional<std::chrono::nanoseconds> retry_delay;
  };

  Error(grpc::StatusCode code, const std::string& message, Details details = {})
      : std::runtime_error(message),
        code_(code),
        details_(std::move(details)) {}

  grpc::StatusCode code() const { return code_; }
  /// REASON_UNSPECIFIED if the server gives no reason, or one that this version
  /// of the library does not know: details().reason then has its name.
  v1::Reason reason() const;
  const Details& details() const { return details_; }

 private:
  grpc::StatusCode code_;
  Details details_;
};

/// Decodes a failed status with its `grpc-status-details-bin`. Details that are
/// absent, damaged or of another code leave the code and the message.
Error DecodeError(const grpc::Status& status);

/// "INVALID_ARGUMENT" and the like.
std::string ToString(grpc::StatusCode code);

}  // namespace torqued::client
