// Calls without their transport.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/services/state_batch.h"

namespace torqued::server {

/// A batch with what it has admitted.
struct BatchAlone : Reservation, StateBatch {
  BatchAlone(Admission& admission, QueryPtr query, v1::Results* results)
      : Reservation(admission), StateBatch(std::move(query), results) {}
};

/// The request checked and admitted as if it were the first of its kind.
inline OrError<std::unique_ptr<BatchAlone>> PrepareAlone(
    const ComputeFields& fields, const ModelEntry& entry,
    const SimdKernels& kernels, const ComputeLimits& limits,
    Admission& admission, v1::ComputeReply* reply) {
  auto query = PrepareQuery(fields, entry, kernels);
  if (auto* error = std::get_if<Error>(&query)) return std::move(*error);
  auto batch = std::make_unique<BatchAlone>(
      admission, std::get<QueryPtr>(query), reply->mutable_results());
  auto error = batch->Bind(fields);
  if (!error) {
    error = batch->Admit(batch->echo().size(), limits, batch.get());
  }
  if (error) return *std::move(error);
  return batch;
}

inline v1::Echo EchoOf(const StateBatch& batch) {
  v1::Echo echo;
  echo.ParseFromString(std::string(batch.echo()));
  return echo;
}

}  // namespace torqued::server
