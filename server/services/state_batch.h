// The computation of a call: a query, the same for all states, and the states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/engine/engine.h"
#include "server/errors/error.h"
#include "server/registry/lru_map.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"
#include "server/wire/array_codec.h"
#include "server/wire/reply.h"
#include "server/wire/request.h"

namespace torqued::server {

struct PreparedQuery {
  /// Without rows.
  EvaluationPlan plan;
  /// The encoding of the replies; absent: that of q.
  std::optional<Payload> encoding;
  bool fail_fast = false;
  bool sigma_min = false;
  /// The echo of replies, as bytes of a v1.Echo without timing: for states
  /// without a wrench, and for those that may have one.
  std::string echo = {};
  std::string echo_with_wrench = {};
  /// Memory of a thread that computes; 0 if it keeps as much anyway.
  std::int64_t workspace_bytes = 0;

  /// The memory of the query, without the model.
  std::int64_t bytes() const {
    return plan.bytes() +
           static_cast<std::int64_t>(echo.size() + echo_with_wrench.size());
  }
};

using QueryPtr = std::shared_ptr<const PreparedQuery>;

OrError<QueryPtr> PrepareQuery(const ComputeFields& view,
                               const ModelEntry& entry,
                               const SimdKernels& kernels);

/// To check and echo a query takes longer than one state. Thread-safe.
class QueryCache {
 public:
  /// Limit of all queries with their models, which they keep alive.
  static constexpr std::size_t kMaxBytes = 32 << 20;
  /// Limits of a query in names and in memory; larger ones are not kept.
  static constexpr std::size_t kMaxKeyBytes = 2048;
  static constexpr std::int64_t kMaxPlanBytes = 8 << 20;

  /// The same as PrepareQuery. All calls must name the same kernels.
  OrError<QueryPtr> Prepare(const ComputeFields& view, const ModelEntry& entry,
                            const SimdKernels& kernels);

 private:
  LruMap<QueryPtr> entries_{kMaxBytes};
};

struct ComputeLimits {
  std::int64_t max_rows = 0;
  std::int64_t max_message_bytes = 0;
  int threads = 1;  // that compute
};

/// Bind, Admit, an evaluation, Finish; then again with other states. Memory is
/// kept: the same number of states again allocates nothing.
class StateBatch {
 public:
  /// Results go to `results`, which must outlive the batch.
  StateBatch(QueryPtr query, v1::Results* results);

  /// Checks the states, which must live until the evaluation is done.
  std::optional<Error> Bind(const ComputeFields& states);

  /// Checks the limits, admits the results and an echo of so many bytes, and
  /// makes room for them. `room` is used until Finish.
  std::optional<Error> Admit(std::size_t echo_bytes,
                             const ComputeLimits& limits, Reservation* room);

  const std::shared_ptr<EvaluationPlan>& plan() const { return plan_; }
  const PreparedQuery& query() const { return *query_; }
  std::int64_t rows() const { return plan_->rows(); }
  const EvaluationOutputs& outputs() const { return results_.outputs(); }

  /// Once evaluated: completes the reply's rows and lists those that are not
  /// OK, counted from `first_row`, as far as there is room: only the first few
  /// where the list is not admitted. With fail_fast such a row is an error.
  template <class Reply>
  std::optional<Error> Finish(const EvaluationReport& report,
                              std::uint64_t first_row, Reply* reply) {
    reply->clear_row_status();
    reply->set_rows(static_cast<std::uint64_t>(rows()));
    reply->set_rows_not_ok(static_cast<std::uint64_t>(report.rows_not_ok));
    return Finish(report, first_row, reply->mutable_row_status());
  }

  /// The echo of a reply of one message: the bytes of a v1.Echo without timing.
  std::string_view echo() const {
    return plan_->inputs().tip_wrench.present() ? query_->echo_with_wrench
                                                : query_->echo;
  }

  /// Once admitted: as many as have their memory. 0: that needs no admission.
  int most_threads() const { return most_threads_; }

 private:
  std::optional<Error> Finish(
      const EvaluationReport& report, std::uint64_t first_row,
      google::protobuf::RepeatedPtrField<v1::RowStatus>* row_status);

  QueryPtr query_;
  std::shared_ptr<EvaluationPlan> plan_;
  ReplyForm form_;
  ReplyResults results_;
  Reservation* room_ = nullptr;
  int most_threads_ = 0;
  std::size_t row_status_bytes_ = 0;  // room left in the reply
};

}  // namespace torqued::server
