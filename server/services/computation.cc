#include "server/services/computation.h"

#include <string>
#include <utility>

#include "server/errors/mapping.h"
#include "server/wire/decode_request.h"
#include "server/wire/echo.h"
#include "server/wire/row_status.h"

namespace torqued::server {
namespace {

Error Broken(const ModelEntry& entry) {
  Error error;
  error.reason = v1::MODEL_BROKEN;
  error.message = "The stored model does not load in this version: " +
                  entry.loaded->problem;
  error.metadata = {{"revision", entry.loaded->revision}};
  return error;
}

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

std::int64_t BytesOf(const InputArray& array) {
  return array.rows * array.columns * SizeOf(array.type);
}

std::int64_t BytesOf(const EvaluationInputs& inputs) {
  return BytesOf(inputs.q) + BytesOf(inputs.v) + BytesOf(inputs.a) +
         BytesOf(inputs.tau) + BytesOf(inputs.tip_wrench);
}

}  // namespace

OrError<std::unique_ptr<Computation>> Computation::Prepare(
    const ComputeView& view, const ModelEntry& entry, std::string_view target,
    const ComputeLimits& limits, Admission& admission,
    v1::ComputeReply* reply) {
  if (entry.loaded->model == nullptr) return Broken(entry);
  auto decoded = DecodeRequest(view);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  auto& request = std::get<DecodedRequest>(decoded);

  auto created = EvaluationPlan::Create(
      entry.loaded->model, std::move(request.options), request.inputs);
  if (auto* error = std::get_if<ArgumentError>(&created)) {
    return ToError(*error);
  }
  auto plan = std::make_shared<const EvaluationPlan>(
      std::get<EvaluationPlan>(std::move(created)));
  const std::int64_t rows = plan->rows();
  if (rows > limits.max_rows) {
    return TooLarge("The request has " + std::to_string(rows) +
                        " states, at most " + std::to_string(limits.max_rows) +
                        " are accepted; send less at a time.",
                    "max-rows", limits.max_rows, limits.max_rows);
  }

  FillEcho(*plan, entry.name, entry.loaded->revision, target,
           reply->mutable_echo());
  const std::int64_t fixed =
      static_cast<std::int64_t>(reply->echo().ByteSizeLong()) +
      kReplyFrameBytes;
  const std::int64_t per_row = ReplyBytesPerRow(*plan, request.encoding);
  const std::int64_t left = limits.max_message_bytes - fixed;
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

  auto admitted =
      admission.Admit({rows, BytesOf(request.inputs) + rows * per_row});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);

  std::unique_ptr<Computation> computation(new Computation);
  computation->ticket_ = std::get<Admission::Ticket>(std::move(admitted));
  computation->results_.emplace(*plan, request.encoding,
                                reply->mutable_results());
  computation->plan_ = std::move(plan);
  computation->reply_ = reply;
  computation->fail_fast_ = request.fail_fast;
  computation->row_status_bytes_ =
      static_cast<std::size_t>(left - rows * per_row);
  return computation;
}

std::optional<Error> Computation::Complete(const EvaluationReport& report,
                                           std::chrono::nanoseconds before) {
  if (fail_fast_ && !report.issues.empty()) {
    return RowFailed(ToRowStatus(*plan_, report.issues.front()));
  }
  results_->Finish();
  reply_->set_rows(static_cast<std::uint64_t>(plan_->rows()));
  FillRowStatus(*plan_, report, row_status_bytes_, reply_);
  FillTiming(before + report.queue, report.compute,
             reply_->mutable_echo()->mutable_timing());
  return std::nullopt;
}

}  // namespace torqued::server
