// A call of torqued.v1.Dynamics: Compute or one of its shorthands.
#pragma once

#include <google/protobuf/arena.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "server/services/call.h"
#include "server/services/state_batch.h"
#include "server/wire/message_bytes.h"
#include "server/wire/reply.h"

namespace torqued::server {

/// Small plans of models at hand are evaluated here, others on the pool.
template <class Request, class Reply>
class DynamicsCall final : public UnaryCall {
  using UnaryCall::UnaryCall;

  std::optional<Error> Run() override {
    auto error = Receive(request_bytes_, &request_, &room_, kBytesOfCall);
    if (error) return error;
    FindModel(request_.model(), [this](OrError<ModelEntry> found) {
      Guarded([&]() -> std::optional<Error> {
        if (auto* refusal = std::get_if<Error>(&found)) return *refusal;
        return Compute(std::get<ModelEntry>(found));
      });
    });
    return std::nullopt;
  }

  std::optional<Error> Compute(const ModelEntry& entry) {
    Engine& engine = context_.engine;
    const ComputeFields fields = FieldsOf(request_);
    auto prepared = context_.queries.Prepare(fields, entry, engine.kernels());
    if (auto* refusal = std::get_if<Error>(&prepared)) return *refusal;
    auto query = std::get<QueryPtr>(std::move(prepared));
    // That of others, or of the cache, is small. One of its own is there before
    // it is admitted, but only of as many calls as there are threads.
    auto error = room_.Grow(query.use_count() > 1 ? 0 : query->bytes());
    if (error) return error;
    StateBatch& batch =
        batch_.emplace(std::move(query), results_->mutable_results());
    error = batch.Bind(fields);
    if (!error) {
      error = batch.Admit(batch.echo().size(), context_.limits, &room_);
    }
    if (error) return error;
    prepared_ = age();

    if (Engine::IsSmall(*batch.plan())) {
      return OnEvaluated(engine.Evaluate(*batch.plan(), batch.outputs()));
    }
    engine.Submit(batch.plan(), batch.outputs(),
                  [this](const EvaluationReport& report) {
                    Guarded([&] { return OnEvaluated(report); });
                  },
                  {.cancellation = cancellation_,
                   .stop_at_first = batch.query().fail_fast,
                   .max_threads = batch.most_threads(),
                   .group = peer_});
    return std::nullopt;
  }

  std::optional<Error> OnEvaluated(const EvaluationReport& report) {
    if (cancelled() || report.failed) return FaultOfTheServer();
    if (auto error = batch_->Finish(report, 0, results_)) return error;
    CountRows(batch_->plan()->options().quantities, batch_->rows(),
              report.queue);
    v1::Timing timing;
    FillTiming(prepared_ + report.queue, report.compute, &timing);
    const EchoBytes echo{Reply::kEchoFieldNumber, batch_->echo(), &timing};
    if constexpr (std::is_same_v<Reply, v1::ComputeReply>) {
      SerializeReply(*results_, echo, reply_bytes_);
    } else {
      // In the same arena, so that its parts change hands without a copy.
      auto* reply = google::protobuf::Arena::CreateMessage<Reply>(&arena_);
      MoveReply(results_, reply);
      SerializeReply(*reply, echo, reply_bytes_);
    }
    // The reply may wait long: not with a plan, and the model that it has.
    batch_.reset();
    Succeed();
    return std::nullopt;
  }

  /// The reply is in an arena whose first block comes with the call: a reply of
  /// one state fits, which would be dozens of allocations. Not the request: an
  /// arena keeps what tables of numbers outgrow as they arrive.
  static constexpr std::size_t kFirstBlock = 2048;

  alignas(std::max_align_t) char first_block_[kFirstBlock];
  google::protobuf::Arena arena_{first_block_, sizeof(first_block_)};
  v1::ComputeReply* const results_ =
      google::protobuf::Arena::CreateMessage<v1::ComputeReply>(&arena_);
  Request request_;
  std::optional<StateBatch> batch_;  // until there is a reply
  std::chrono::nanoseconds prepared_{0};
};

}  // namespace torqued::server
