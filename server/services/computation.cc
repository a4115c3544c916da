#include "server/services/computation.h"

#include <utility>

#include "server/wire/echo.h"

namespace torqued::server {

OrError<std::unique_ptr<Computation>> Computation::Prepare(
    const StatesView& states, std::shared_ptr<const ComputeSetup> setup,
    const ComputeLimits& limits, PeerAdmission admission,
    v1::ComputeReply* reply, std::int64_t setup_bytes) {
  std::unique_ptr<Computation> computation(
      new Computation(std::move(setup), reply));
  StateBatch& batch = computation->batch_;
  if (auto error = batch.Bind(states)) return *std::move(error);
  const auto echo_bytes = static_cast<std::int64_t>(computation->echo().size());
  if (auto error = batch.Admit(setup_bytes, echo_bytes, limits, admission)) {
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
  FillTiming(before + report.queue, report.compute, &timing_);
  return std::nullopt;
}

std::string_view Computation::echo() const {
  const bool has_wrench = batch_.plan()->inputs().tip_wrench.present();
  return has_wrench ? setup_->echo_with_wrench : setup_->echo;
}

}  // namespace torqued::server
