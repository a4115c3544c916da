#include "client/cpp/batch_plan.h"

#include <algorithm>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"

namespace torqued::client {

BatchPlan PlanBatch(const BatchLimits& limits,
                    std::span<const v1::Quantity> quantities,
                    const States& states, const ComputeOptions& options) {
  BatchPlan plan;
  plan.rows = CountStates(states, options);
  const std::int64_t most = RowsPerCall(
      RequestBytesPerRow(states, options),
      ReplyBytesPerRow(quantities, states, options), limits.max_message_bytes);
  plan.fits_one_call = plan.rows <= most;
  plan.chunk_rows = std::clamp<std::int64_t>(limits.chunk_rows, 1, most);
  return plan;
}

v1::ComputeRequest OneCallRequest(const std::string& model,
                                  std::span<const v1::Quantity> quantities,
                                  const States& states,
                                  const ComputeOptions& options,
                                  std::int64_t rows) {
  v1::ComputeRequest request = MakeRequest(model, quantities, options);
  AddRows(states, options, {0, rows}, &request);
  return request;
}

Evaluation OneCallResult(const v1::ComputeReply& reply,
                         std::span<const v1::Quantity> quantities,
                         const ComputeOptions& options, std::int64_t rows) {
  Evaluation whole;
  whole.rows = RowsAnswered(reply.rows(), rows);
  whole.echo = reply.echo();
  whole.echo.clear_timing();
  Join(PartOf(reply), quantities, options.task.sigma_min, {0, whole.rows},
       &whole);
  if (options.progress) options.progress(whole.rows, whole.rows);
  return whole;
}

}  // namespace torqued::client
