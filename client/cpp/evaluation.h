// The results of a computation, at once or later.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "torqued/client/cpp/states.h"

namespace torqued::client {

/// Any list of quantities, for the length of a call.
class Quantities : public std::span<const v1::Quantity> {
 public:
  using span::span;
  Quantities(std::initializer_list<v1::Quantity> list)
      : span(list.begin(), list.size()) {}
};

/// Quantities that were not asked for are empty; the others have `rows` rows.
/// The tables are those of torqued.v1.Results, under their names: `tau`,
/// `mass_matrix`, `jacobian`, ... Matrices are flattened row-major.
struct Evaluation {
  std::int64_t rows = 0;

#define TORQUED_RESULT_TABLE(name) Batch name;
#include "torqued/v1/tables.inc"
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;  // empty unless options ask for it
  std::vector<v1::TaskRule> rule;

  /// The first kMaxListed rows that are not OK, ascending; rows_not_ok counts
  /// all.
  static constexpr std::size_t kMaxListed = 100'000;
  std::vector<v1::RowStatus> row_status;
  std::int64_t rows_not_ok = 0;

  /// Model, revision, joint order, terms and target, of the first call. Timing
  /// is the sum over all calls: these overlap, so it may exceed the time that
  /// passed.
  v1::Echo echo;

  bool ok() const { return rows_not_ok == 0; }

  /// Row `row` of a matrix-valued quantity with `matrix_rows` rows, as a view:
  /// MatrixOf(e.mass_matrix, k, nv), MatrixOf(e.jacobian, k, 6), ...
  static Eigen::Map<const Batch> MatrixOf(const Batch& quantity,
                                          Eigen::Index row,
                                          Eigen::Index matrix_rows) {
    return {quantity.row(row).data(), matrix_rows,
            matrix_rows == 0 ? 0 : quantity.cols() / matrix_rows};
  }
};

class AsyncBatch;

/// A running evaluation. May be moved, not copied; may outlive the client.
/// Wait, WaitFor, Done and Cancel: from any thread, at any time. A handle that
/// is destroyed during its call cancels the call, since nothing could take the
/// result, and does not wait for that.
class PendingEvaluation {
 public:
  /// Without a call.
  PendingEvaluation() = default;
  explicit PendingEvaluation(const std::shared_ptr<AsyncBatch>& batch);

  /// There is a call, and its result has not been taken.
  bool valid() const { return result_.valid(); }

  // These four throw std::future_error if !valid().
  /// Get will not wait.
  bool Done() const { return WaitFor(std::chrono::nanoseconds::zero()); }
  void Wait() const { result_.wait(); }
  /// Done(), after at most `timeout`.
  bool WaitFor(std::chrono::nanoseconds timeout) const {
    return result_.wait_for(timeout) == std::future_status::ready;
  }
  /// Waits, and takes the result, once. Throws what Client::Compute would;
  /// CANCELLED after Cancel or if the client went away.
  Evaluation Get() { return result_.get(); }
  /// Get will throw CANCELLED soon, unless the call was done before. The server
  /// stops computing.
  void Cancel() const;

 private:
  std::shared_ptr<AsyncBatch> batch_;  // cancels with its last owner
  std::future<Evaluation> result_;
};

/// Cancels a call whose result goes to a function. Copies are the same; from
/// any thread, also when the call is done or the client is gone. Going away
/// does nothing to the call.
class Cancellation {
 public:
  /// Without a call.
  Cancellation() = default;
  explicit Cancellation(std::weak_ptr<AsyncBatch> batch);

  void Cancel() const;

 private:
  std::weak_ptr<AsyncBatch> batch_;
};

/// Called with a call that is done: its Get does not wait. It runs on one of
/// gRPC's few threads, which other calls need as well, so it should not block;
/// it may begin other calls. It must not throw and must not destroy the client.
/// The client itself refuses inputs that do not fit together. Then it is called
/// before ComputeAsync returns.
using EvaluationDone = std::function<void(PendingEvaluation done)>;

}  // namespace torqued::client
