// The client of a torqued server.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torqued/client/cpp/error.h"
#include "torqued/client/cpp/evaluation.h"
#include "torqued/client/cpp/retry.h"
#include "torqued/client/cpp/states.h"
#include "torqued/client/cpp/trajectory_check.h"
#include "torqued/v1/model_registry.pb.h"
#include "torqued/v1/server_info.pb.h"

namespace torqued::client {

struct ConnectOptions {
  /// The timeout of each call, with all retries and all parts of a large batch,
  /// unless the call has its own. milliseconds::max(): none.
  std::chrono::milliseconds deadline{30'000};
  /// How long Connect keeps trying a server that does not answer. 0: the first
  /// refused connection is final.
  std::chrono::milliseconds wait_for_server{0};
  /// Largest message that travels in either direction; batches are cut to stay
  /// below. -1: no limit.
  int max_message_bytes = 16 * 1024 * 1024;
  /// States of one call at most. A server that takes less at a time, as it said
  /// when the client connected, is sent less.
  int chunk_rows = std::numeric_limits<int>::max();
  /// Try again, within the deadline, what failed in passing (docs/grpc.md).
  /// Each call of a large batch is repeated alone.
  bool retry = true;
  /// Called before each wait for another try, of computations by threads of
  /// gRPC, several at once: it must neither throw nor block.
  Waiting waiting = {};
  /// PEM files of an address "tls:HOST:PORT": the CAs of which one signed the
  /// server's certificate (empty: those of the system, or of the file that
  /// GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names), and the client's certificate.
  std::string tls_ca = {}, tls_cert = {}, tls_key = {};
  /// The name that the server's certificate must have. Empty: the address's
  /// host.
  std::string tls_server_name = {};
  /// Identifies the client in each call (docs/security.md): a token, or a file
  /// that has one. Without both: the environment variable TORQUED_TOKEN.
  /// Refused at an address of another machine without TLS.
  std::string token = {}, token_file = {};
};

enum class Health : std::uint8_t {
  kServing,
  kNotServing,  // up, but not ready or draining
  kUnknown,     // the server does not offer the health service
};

/// Thread-safe; one connection, to be shared. Every function throws Error. The
/// destructor cancels what ComputeAsync has begun and waits for the functions
/// that are called for it, so none of these may destroy the client.
class Client {
 public:
  /// `address`: "tls:host:port" with TLS; without it, as gRPC takes it,
  /// "host:port", "unix:/path", "dns:///host:port". A host alone, an IPv6
  /// address with or without brackets, gets port 7421. Throws when the server
  /// cannot be reached, INVALID_OPTION when the options do not fit, and
  /// (UNIMPLEMENTED, mostly) when another server than torqued answers.
  static Client Connect(const std::string& address,
                        const ConnectOptions& options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  const std::string& address() const;
  /// Asks once.
  Health CheckHealth() const;
  /// Version and limits of the server. UNIMPLEMENTED: an old one.
  v1::GetServerInfoReply GetServerInfo() const;

  // Models. Requests and replies are those of the wire.
  v1::RegisterModelReply RegisterModel(
      const v1::RegisterModelRequest& request) const;
  v1::ValidateModelReply ValidateModel(
      const v1::ValidateModelRequest& request) const;
  /// `model` is a reference: name, name@revision, name@label or @revision.
  v1::GetModelReply GetModel(const std::string& model,
                             bool include_source = false) const;
  /// All pages.
  std::vector<v1::ModelSummary> ListModels() const;
  void DeleteModel(
      const std::string& name,
      const std::optional<std::string>& expected_current = std::nullopt) const;

  // Dynamics. A large batch travels in calls of at most 1 MiB, 8 of them in
  // flight, all for one revision of the model; its first failure, in the order
  // of rows, ends it. The four named functions are Compute with that one
  // quantity.
  Evaluation Compute(const std::string& model, Quantities quantities,
                     const States& states,
                     const ComputeOptions& options = {}) const;
  /// Compute that does not wait: the same requests, retries, deadline and bits.
  /// No thread is made for it; thousands may be in flight. `states` and
  /// `options` are kept until the call is done (move them in to save a copy).
  /// Functions in `options` are called by gRPC's threads, as is `done`.
  PendingEvaluation ComputeAsync(const std::string& model,
                                 Quantities quantities, States states,
                                 ComputeOptions options = {}) const;
  /// The result goes to `done`, which is called exactly once.
  Cancellation ComputeAsync(const std::string& model, Quantities quantities,
                            States states, ComputeOptions options,
                            EvaluationDone done) const;
  Evaluation InverseDynamics(const std::string& model, const States& states,
                             const ComputeOptions& options = {}) const {
    return Compute(model, {v1::QUANTITY_INVERSE_DYNAMICS}, states, options);
  }
  Evaluation MassMatrix(const std::string& model, const States& states,
                        const ComputeOptions& options = {}) const {
    return Compute(model, {v1::QUANTITY_MASS_MATRIX}, states, options);
  }
  Evaluation ForwardDynamics(const std::string& model, const States& states,
                             const ComputeOptions& options = {}) const {
    return Compute(model, {v1::QUANTITY_FORWARD_DYNAMICS}, states, options);
  }
  Evaluation OperationalSpace(const std::string& model, const States& states,
                              const ComputeOptions& options = {}) const {
    return Compute(model, {v1::QUANTITY_OPERATIONAL_SPACE}, states, options);
  }

  /// Whether the robot stays within its limits along a trajectory of any
  /// length. `progress` counts samples that are checked, up to the end.
  /// `deadline`: of all tries together; absent: that of the connection.
  TrajectoryCheck CheckTrajectory(
      const v1::CheckTrajectoryStart& start, const TrajectorySamples& samples,
      const Progress& progress = {},
      std::optional<std::chrono::milliseconds> deadline = {}) const;

 private:
  struct Connection;
  explicit Client(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace torqued::client
