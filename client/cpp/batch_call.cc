#include "client/cpp/batch_call.h"

#include <algorithm>

#include "client/cpp/join_reply.h"
#include "client/cpp/request.h"
#include "client/cpp/stream_batch.h"

namespace torqued::client {
namespace {

// What a message may hold.
std::int64_t RowsPerMessage(const BatchLimits& limits,
                            std::span<const v1::Quantity> quantities,
                            const States& states,
                            const ComputeOptions& options) {
  return RowsPerCall(RequestBytesPerRow(states, options),
                     ReplyBytesPerRow(quantities, states, options),
                     limits.max_message_bytes);
}

Evaluation InOneCall(const ComputeCall& call, const std::string& model,
                     std::span<const v1::Quantity> quantities,
                     const States& states, const ComputeOptions& options,
                     std::int64_t rows) {
  v1::ComputeRequest request = MakeRequest(model, quantities, options);
  AddRows(states, options, {0, rows}, &request);
  const v1::ComputeReply reply = call(request);
  Evaluation whole;
  // Without joints there is nothing to count states by: the server's word
  // counts, which is never more than it was sent, or one.
  whole.rows = reply.rows() <= static_cast<std::uint64_t>(
                                   std::max<std::int64_t>(rows, 1))
                   ? static_cast<std::int64_t>(reply.rows())
                   : rows;
  whole.echo = reply.echo();
  whole.echo.clear_timing();
  Join(PartOf(reply), quantities, options.task.sigma_min, {0, whole.rows},
       &whole);
  if (options.progress) options.progress(whole.rows, whole.rows);
  return whole;
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
  const std::int64_t rows = CountStates(states, options);
  if (rows > RowsPerMessage(limits, quantities, states, options)) {
    return StreamBatch(calls, limits, model, quantities, states, options);
  }
  try {
    return InOneCall(calls.compute, model, quantities, states, options, rows);
  } catch (const Error& error) {
    const auto fewer = FewerRows(error, rows);
    if (!fewer) throw;
    return InChunks(calls, model, quantities, states, options, *fewer);
  }
}

Evaluation StreamBatch(const BatchCalls& calls, const BatchLimits& limits,
                       const std::string& model,
                       std::span<const v1::Quantity> quantities,
                       const States& states, const ComputeOptions& options) {
  if (CountStates(states, options) == 0) {
    return InOneCall(calls.compute, model, quantities, states, options, 0);
  }
  return InChunks(
      calls, model, quantities, states, options,
      std::min(std::max<std::int64_t>(limits.chunk_rows, 1),
               RowsPerMessage(limits, quantities, states, options)));
}

}  // namespace torqued::client
