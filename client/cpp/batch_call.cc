#include "client/cpp/batch_call.h"

#include "client/cpp/request.h"
#include "client/cpp/rows.h"
#include "client/cpp/stream_batch.h"

namespace torqued::client {
namespace {

Evaluation InOneCall(const ComputeCall& call, const std::string& model,
                     std::span<const v1::Quantity> quantities,
                     const States& states, const ComputeOptions& options,
                     std::int64_t rows) {
  return OneCallResult(
      call(OneCallRequest(model, quantities, states, options, rows)),
      quantities, options, rows);
}

Evaluation InChunks(const BatchCalls& calls, const std::string& model,
                    std::span<const v1::Quantity> quantities,
                    const States& states, const ComputeOptions& options,
                    std::int64_t chunk_rows) {
  return EvaluateBatch(calls.open_stream, calls.schedule,
                       MakeStart(model, quantities, options), quantities,
                       states, options, chunk_rows);
}

}  // namespace

Evaluation ComputeBatch(const BatchCalls& calls, const BatchLimits& limits,
                        const std::string& model,
                        std::span<const v1::Quantity> quantities,
                        const States& states, const ComputeOptions& options) {
  const BatchPlan plan = PlanBatch(limits, quantities, states, options);
  if (!plan.fits_one_call) {
    return InChunks(calls, model, quantities, states, options, plan.chunk_rows);
  }
  try {
    return InOneCall(calls.compute, model, quantities, states, options,
                     plan.rows);
  } catch (const Error& error) {
    const auto fewer = FewerRows(error, plan.rows);
    if (!fewer) throw;
    return InChunks(calls, model, quantities, states, options, *fewer);
  }
}

Evaluation StreamBatch(const BatchCalls& calls, const BatchLimits& limits,
                       const std::string& model,
                       std::span<const v1::Quantity> quantities,
                       const States& states, const ComputeOptions& options) {
  const BatchPlan plan = PlanBatch(limits, quantities, states, options);
  if (plan.rows == 0) {
    return InOneCall(calls.compute, model, quantities, states, options, 0);
  }
  return InChunks(calls, model, quantities, states, options, plan.chunk_rows);
}

}  // namespace torqued::client
