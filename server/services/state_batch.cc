#include "server/services/state_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/wire/reply.h"
#include "server/wire/request.h"

namespace torqued::server {
namespace {

/// Serialized, of a row status on average at most; in memory it takes twice as
/// much beside that.
constexpr std::size_t kRowStatusBytes = 512;
/// What is listed in any case.
constexpr std::size_t kFewRowStatuses = 8;

Error TooLarge(std::string message, std::string setting, std::int64_t limit,
               std::int64_t rows_that_fit) {
  Error error;
  error.reason = v1::REQUEST_TOO_LARGE;
  error.message = std::move(message);
  error.metadata = {{"limit", std::to_string(limit)},
                    {"setting", std::move(setting)},
                    {"rows_that_fit", std::to_string(rows_that_fit)}};
  return error;
}

Error RowFailed(const v1::RowStatus& row) {
  Error error;
  error.reason = v1::ROW_FAILED;
  error.message =
      "Row " + std::to_string(row.row()) + " failed: " + row.message();
  error.metadata = {{"row", std::to_string(row.row())},
                    {"code", v1::RowCode_Name(row.code())},
                    {"field", row.field()},
                    {"joint", row.joint()}};
  return error;
}

}  // namespace

StateBatch::StateBatch(QueryPtr query, v1::Results* results)
    : query_(std::move(query)),
      plan_(std::make_shared<EvaluationPlan>(query_->plan)),
      form_{.sigma_min = query_->sigma_min},
      results_(results) {}

std::optional<Error> StateBatch::Bind(const ComputeFields& states) {
  auto decoded = DecodeStates(states);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  if (const auto error = plan_->Rebind(std::get<EvaluationInputs>(decoded))) {
    return ToError(*error, states.tip_wrench_field);
  }
  form_.payload = query_->encoding ? *query_->encoding : EncodingOf(states);
  return std::nullopt;
}

std::optional<Error> StateBatch::Admit(std::int64_t input_bytes,
                                       std::int64_t other_bytes,
                                       const ComputeLimits& limits,
                                       PeerAdmission admission) {
  const std::int64_t rows = plan_->rows();
  if (rows > limits.max_rows) {
    return TooLarge("The request has " + std::to_string(rows) +
                        " states, at most " + std::to_string(limits.max_rows) +
                        " are accepted; send less at a time.",
                    "max-rows", limits.max_rows, limits.max_rows);
  }
  const std::int64_t per_row = ReplyBytesPerRow(*plan_, form_);
  const std::int64_t left =
      limits.max_message_bytes - other_bytes - kReplyFrameBytes;
  // In this form nothing overflows.
  const std::int64_t fit = left < 0       ? 0
                           : per_row == 0 ? limits.max_rows
                                          : left / per_row;
  if (rows > fit) {
    return TooLarge("The reply would take over " +
                        std::to_string(limits.max_message_bytes) + " bytes; " +
                        std::to_string(fit) + " states fit.",
                    "max-message-bytes", limits.max_message_bytes, fit);
  }
  // The results are there twice once serialized, until they are sent.
  most_threads_ = ThreadsFor(limits, admission.limit().bytes / 8);
  auto admitted =
      admission.Admit({.bytes = input_bytes + other_bytes + 2 * rows * per_row +
                                most_threads_ * query_->workspace_bytes});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  reservation_ = std::get<Admission::Reservation>(std::move(admitted));
  admission_ = admission;
  results_.Lay(*plan_, form_);
  row_status_bytes_ = static_cast<std::size_t>(left - rows * per_row);
  return std::nullopt;
}

int StateBatch::ThreadsFor(const ComputeLimits& limits,
                           std::int64_t most_bytes) const {
  if (query_->workspace_bytes == 0 || plan_->rows() == 0) return 0;
  const std::int64_t most =
      std::min<std::int64_t>(plan_->rows(), limits.threads);
  return static_cast<int>(
      std::clamp<std::int64_t>(most_bytes / query_->workspace_bytes, 1, most));
}

std::optional<Error> StateBatch::Finish(
    const EvaluationReport& report, std::uint64_t first_row,
    google::protobuf::RepeatedPtrField<v1::RowStatus>* row_status) {
  if (fail_fast() && !report.issues.empty()) {
    return RowFailed(ToRowStatus(*plan_, report.issues.front(), first_row));
  }
  results_.Finish();
  // Nothing is computed any more.
  if (most_threads_ > 0) {
    reservation_.ShrinkTo(reservation_.load().bytes -
                          most_threads_ * query_->workspace_bytes);
  }
  if (!report.issues.empty()) {
    FillRowStatus(*plan_, report, first_row,
                  std::min(row_status_bytes_, RoomForStatuses(report)),
                  row_status);
  }
  return std::nullopt;
}

std::size_t StateBatch::RoomForStatuses(const EvaluationReport& report) {
  const std::size_t few = kFewRowStatuses * kRowStatusBytes;
  const std::size_t all = report.issues.size() * kRowStatusBytes;
  if (all <= few) return few;
  auto admitted = admission_->Admit(
      {.bytes = static_cast<std::int64_t>(3 * all)}, reservation_.load());
  auto* ticket = std::get_if<Admission::Reservation>(&admitted);
  if (ticket == nullptr) return few;
  reservation_.Add(std::move(*ticket));
  return all;
}

}  // namespace torqued::server
