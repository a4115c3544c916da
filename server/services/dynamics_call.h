// A call of torqued.v1.Dynamics: Compute or one of its shorthands.
#pragma once

#include <google/protobuf/arena.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "server/observability/metrics.h"
#include "server/services/receive.h"
#include "server/services/resolve_model.h"
#include "server/services/state_batch.h"
#include "server/services/unary_call.h"
#include "server/wire/message_bytes.h"
#include "server/wire/reply.h"

namespace torqued::server {

/// Parses, resolves, prepares, evaluates and serializes: small plans of models
/// at hand where it stands, all others on the engine's pool.
template <class Request, class Reply>
class DynamicsCall final : public UnaryCall {
 public:
  explicit DynamicsCall(const Incoming& incoming)
      : UnaryCall(incoming),
        arena_(first_block_, sizeof(first_block_)),
        results_(NewMessage<v1::ComputeReply>()) {}

 private:
  ~DynamicsCall() override = default;

  void Run() override {
    if (auto error =
            Receive(request_bytes_, {context_.admission, record_.peer()},
                    &request_, &request_reservation_, kBytesOfCall)) {
      return Fail(*std::move(error));
    }
    record_.set_model(request_.model());
    if (auto refusal = record_.RefusalOf(request_.model())) {
      return Fail(*std::move(refusal));
    }
    const auto entry = context_.registry.ResolveLoaded(request_.model());
    CountModel(entry.has_value());
    if (entry) return Compute(*entry);
    context_.loads.Run(request_.model(), record_.host(),
                       [this] { Guarded([this] { ResolveAndCompute(); }); });
  }

  /// For a model that is not at hand, beside the pool.
  void ResolveAndCompute() {
    if (record_.cancelled()) return Abandon();
    auto resolved =
        ResolveModel(context_.registry, request_.model(), Admitting());
    if (auto* error = std::get_if<Error>(&resolved)) {
      return Fail(std::move(*error));
    }
    Compute(std::get<ModelEntry>(resolved));
  }

  void Compute(const ModelEntry& entry) {
    Engine& engine = context_.engine;
    const ComputeFields fields = FieldsOf(request_);
    auto prepared = context_.queries.Prepare(fields, entry, engine.target());
    if (auto* error = std::get_if<Error>(&prepared)) {
      return Fail(std::move(*error));
    }
    auto query = std::get<QueryPtr>(std::move(prepared));
    // That of others, or of the cache, is small. One of its own is there before
    // it is admitted, but only of as many calls as there are threads.
    query_bytes_ = query.use_count() > 1 ? 0 : query->bytes();
    StateBatch& batch =
        batch_.emplace(std::move(query), results_->mutable_results());
    auto error = batch.Bind(fields);
    if (!error) {
      error = batch.Admit(query_bytes_,
                          static_cast<std::int64_t>(batch.echo().size()),
                          context_.limits, Admitting());
    }
    if (error) return Fail(*std::move(error));
    prepared_ = record_.age();

    if (Engine::IsSmall(*batch.plan())) {
      return OnEvaluated(engine.EvaluateHere(*batch.plan(), batch.outputs()));
    }
    engine.Submit(
        batch.plan(), batch.outputs(),
        [this](const EvaluationReport& report) {
          Guarded([&] { OnEvaluated(report); });
        },
        record_.cancellation(), batch.fail_fast(), record_.peer(),
        batch.most_threads());
  }

  void OnEvaluated(const EvaluationReport& report) {
    if (record_.cancelled()) return Abandon();
    if (report.failed) return FailAsFault();
    if (auto error = batch_->Finish(report, 0, results_)) {
      return Fail(*std::move(error));
    }
    CountRows(batch_->plan()->options().quantities, batch_->rows(),
              report.queue);
    v1::Timing timing;
    FillTiming(prepared_ + report.queue, report.compute, &timing);
    Serialize({Reply::kEchoFieldNumber, batch_->echo(), &timing});
    // The reply may wait long: not with a plan, and the model that it has.
    reply_reservation_ = batch_->TakeReservation();
    batch_.reset();
    if (query_bytes_ > 0) {
      reply_reservation_.ShrinkTo(reply_reservation_.load().bytes -
                                  query_bytes_);
    }
    Succeed();
  }

  void Serialize(const EchoBytes& echo) {
    if constexpr (std::is_same_v<Reply, v1::ComputeReply>) {
      SerializeReply(*results_, echo, reply_bytes_);
    } else {
      auto* reply = NewMessage<Reply>();
      MoveReply(results_, reply);
      SerializeReply(*reply, echo, reply_bytes_);
    }
  }

  PeerAdmission Admitting() const {
    return {context_.admission, record_.peer(), request_reservation_.load()};
  }
  /// In the memory of the reply, so that its parts change hands without a copy.
  template <class Message>
  Message* NewMessage() {
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

  /// The reply and its parts, but for long texts and bytes, are in an arena
  /// whose first block comes with the call: one allocation for what would be
  /// dozens. That of a call of one state fits. Not the request: its tables of
  /// numbers grow as they arrive, and an arena keeps what they outgrow.
  static constexpr std::size_t kFirstBlock = 2048;

  alignas(std::max_align_t) char first_block_[kFirstBlock];
  google::protobuf::Arena arena_;
  v1::ComputeReply* const results_;
  Request request_;
  Admission::Reservation request_reservation_;
  Admission::Reservation reply_reservation_;  // once there is a reply
  std::optional<StateBatch> batch_;           // until then
  std::int64_t query_bytes_ = 0;              // of the batch's
  std::chrono::nanoseconds prepared_{0};
};

}  // namespace torqued::server
