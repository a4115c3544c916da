#include "server/services/computation.h"

#include <utility>

#include "server/wire/echo.h"

namespace torqued::server {

OrError<std::unique_ptr<Computation>> Computation::Prepare(
    const ComputeView& view, const ModelEntry& entry, std::string_view target,
    const ComputeLimits& limits, Admission& admission,
    v1::ComputeReply* reply) {
  auto setup = SetUp(view.query, entry);
  if (auto* error = std::get_if<Error>(&setup)) return std::move(*error);
  std::unique_ptr<Computation> computation(
      new Computation(std::get<ComputeSetup>(std::move(setup)), reply));
  StateBatch& batch = computation->batch_;
  if (auto error = batch.Bind(view.states)) return *std::move(error);
  FillEcho(*batch.plan(), batch.sigma_min(), entry.name, entry.loaded->revision,
           target, reply->mutable_echo());
  const auto echo_bytes =
      static_cast<std::int64_t>(reply->echo().ByteSizeLong());
  if (auto error = batch.Admit(echo_bytes, limits, admission)) {
    return *std::move(error);
  }
  return computation;
}

std::optional<Error> Computation::Complete(const EvaluationReport& report,
                                           std::chrono::nanoseconds before) {
  if (auto error = batch_.Finish(report, 0, reply_->mutable_row_status())) {
    return error;
  }
  reply_->set_rows(static_cast<std::uint64_t>(batch_.rows()));
  reply_->set_rows_not_ok(static_cast<std::uint64_t>(report.rows_not_ok));
  FillTiming(before + report.queue, report.compute,
             reply_->mutable_echo()->mutable_timing());
  return std::nullopt;
}

}  // namespace torqued::server
