// Some states of a call on their way from the request to the results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/batch/engine.h"
#include "server/errors/error.h"
#include "server/services/admission.h"
#include "server/services/prepared_query.h"
#include "server/wire/reply.h"
#include "server/wire/request.h"

namespace torqued::server {

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

  /// Checks the limits, admits the results and makes room for them.
  /// `input_bytes`: of whatever else is not admitted yet.
  /// `other_bytes` bounds what else the reply holds without its row statuses.
  std::optional<Error> Admit(std::int64_t input_bytes, std::int64_t other_bytes,
                             const ComputeLimits& limits,
                             PeerAdmission admission);

  const std::shared_ptr<EvaluationPlan>& plan() const { return plan_; }
  std::int64_t rows() const { return plan_->rows(); }
  const EvaluationOutputs& outputs() const { return results_.outputs(); }

  /// Once evaluated: completes the reply's rows and lists those that are not
  /// OK, counted from `first_row`, as far as there is room in the reply, and
  /// only the first few where the list is not admitted. With fail_fast such a
  /// row is an error.
  template <class Reply>
  std::optional<Error> Finish(const EvaluationReport& report,
                              std::uint64_t first_row, Reply* reply) {
    reply->clear_row_status();
    reply->set_rows(static_cast<std::uint64_t>(rows()));
    reply->set_rows_not_ok(static_cast<std::uint64_t>(report.rows_not_ok));
    return Finish(report, first_row, reply->mutable_row_status());
  }

  /// What a reply of one message echoes: the bytes of a v1.Echo without timing.
  std::string_view echo() const {
    return plan_->inputs().tip_wrench.present() ? query_->echo_with_wrench
                                                : query_->echo;
  }

  /// Once admitted: as many as have their memory. 0: that needs no admission.
  int most_threads() const { return most_threads_; }

  /// Gives back what Admit took.
  void Release() { reservation_ = {}; }
  /// The same, to be held longer than the batch.
  Admission::Reservation TakeReservation() { return std::move(reservation_); }

  bool fail_fast() const { return query_->fail_fast; }
  /// Whether the smallest singular values are returned.
  bool sigma_min() const { return form_.sigma_min; }

 private:
  /// Some eighth of what may be under way, and one thread at least.
  int ThreadsFor(const ComputeLimits& limits, std::int64_t most_bytes) const;
  std::optional<Error> Finish(
      const EvaluationReport& report, std::uint64_t first_row,
      google::protobuf::RepeatedPtrField<v1::RowStatus>* row_status);
  /// Bytes in the reply.
  std::size_t RoomForStatuses(const EvaluationReport& report);

  QueryPtr query_;
  std::shared_ptr<EvaluationPlan> plan_;
  ReplyForm form_;
  ReplyResults results_;
  std::optional<PeerAdmission> admission_;  // of the room
  Admission::Reservation reservation_;
  int most_threads_ = 0;
  std::size_t row_status_bytes_ = 0;  // room left in the reply
};

}  // namespace torqued::server
