#include "server/services/dynamics_call.h"

#include "server/observability/metrics.h"
#include "server/services/parsing_room.h"

namespace torqued::server {

void DynamicsCall::Run() {
  if (auto error = Parse(request_bytes_, &request_room_)) {
    return Fail(*std::move(error));
  }
  const std::string& model = *View().query.model;
  set_model(model);
  if (auto refusal = RefusalOf(model)) return Fail(*std::move(refusal));
  const auto entry = context_.registry.ResolveLoaded(model);
  CountModel(entry.has_value());
  if (entry) return Compute(*entry);
  context_.uncut.Submit([this] { Guarded([this] { ResolveAndCompute(); }); },
                        host());
}

void DynamicsCall::ResolveAndCompute() {
  if (cancelled()) return Abandon();
  auto resolved =
      ResolveModel(context_.registry, *View().query.model,
                   {context_.admission, peer(), request_room_.load()});
  if (auto* error = std::get_if<Error>(&resolved)) {
    return Fail(std::move(*error));
  }
  Compute(std::get<ModelEntry>(resolved));
}

void DynamicsCall::Compute(const ModelEntry& entry) {
  Engine& engine = context_.engine;
  const ComputeView view = View();
  auto setup = context_.setups.SetUp(view.query, entry, engine.target());
  if (auto* error = std::get_if<Error>(&setup)) return Fail(std::move(*error));
  auto made = std::get<std::shared_ptr<const ComputeSetup>>(std::move(setup));
  // That of others, or of the cache, is small. One of its own is there before
  // it is admitted, but only of as many calls as there are threads.
  setup_bytes_ = made.use_count() > 1 ? 0 : made->bytes();
  auto prepared =
      Computation::Prepare(view.states, std::move(made), context_.limits,
                           {context_.admission, peer(), request_room_.load()},
                           results_, setup_bytes_);
  if (auto* error = std::get_if<Error>(&prepared)) {
    return Fail(std::move(*error));
  }
  computation_ = std::get<std::unique_ptr<Computation>>(std::move(prepared));
  prepared_ = age();

  if (Engine::IsSmall(*computation_->plan())) {
    OnEvaluated(
        engine.EvaluateHere(*computation_->plan(), computation_->outputs()));
    return;
  }
  engine.Submit(
      computation_->plan(), computation_->outputs(),
      [this](const EvaluationReport& report) {
        Guarded([&] { OnEvaluated(report); });
      },
      cancellation(), computation_->fail_fast(), peer(),
      computation_->most_threads());
}

void DynamicsCall::OnEvaluated(const EvaluationReport& report) {
  if (cancelled()) return Abandon();
  if (report.failed) return FailAsFault();
  if (auto error = computation_->Complete(report, prepared_)) {
    return Fail(*std::move(error));
  }
  CountRows(computation_->plan()->options().quantities,
            computation_->plan()->rows(), report.queue);
  Serialize(results_, computation_->echo(), computation_->timing(),
            reply_bytes_);
  // The reply may wait long: not with a plan, and the model that it has.
  reply_room_ = computation_->TakeRoom();
  computation_.reset();
  if (setup_bytes_ > 0) {
    reply_room_.KeepBytes(reply_room_.load().bytes - setup_bytes_);
  }
  Succeed();
}

}  // namespace torqued::server
