#include "server/services/dynamics_call.h"

#include "server/errors/mapping.h"

namespace torqued::server {

void DynamicsCall::Run() {
  if (auto error = Parse(request_bytes_, &request_room_)) {
    return Fail(*std::move(error));
  }
  const std::string& model = *View().query.model;
  set_model(model);
  if (const auto entry = context_.registry.ResolveLoaded(model)) {
    return Compute(*entry);
  }
  context_.uncut.Submit([this] { Guarded([this] { ResolveAndCompute(); }); },
                        peer());
}

void DynamicsCall::ResolveAndCompute() {
  if (cancelled()) return Abandon();
  const auto resolved = context_.registry.Resolve(*View().query.model);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return Fail(ToError(*error));
  }
  Compute(std::get<ModelEntry>(resolved));
}

void DynamicsCall::Compute(const ModelEntry& entry) {
  Engine& engine = context_.engine;
  const ComputeView view = View();
  auto setup = context_.setups.SetUp(view.query, entry, engine.target());
  if (auto* error = std::get_if<Error>(&setup)) return Fail(std::move(*error));
  auto prepared = Computation::Prepare(
      view.states,
      std::get<std::shared_ptr<const ComputeSetup>>(std::move(setup)),
      context_.limits, {context_.admission, peer(), &request_room_}, results_);
  if (auto* error = std::get_if<Error>(&prepared)) {
    return Fail(std::move(*error));
  }
  computation_ = std::get<std::unique_ptr<Computation>>(std::move(prepared));
  prepared_ = age();

  if (Engine::IsSmall(*computation_->plan())) {
    OnEvaluated(
        engine.Evaluate(*computation_->plan(), computation_->outputs()));
    return;
  }
  engine.Submit(
      computation_->plan(), computation_->outputs(),
      [this](const EvaluationReport& report) {
        Guarded([&] { OnEvaluated(report); });
      },
      cancellation(), computation_->fail_fast(), peer());
}

void DynamicsCall::OnEvaluated(const EvaluationReport& report) {
  if (cancelled()) return Abandon();
  if (report.failed) return FailAsFault();
  if (auto error = computation_->Complete(report, prepared_)) {
    return Fail(*std::move(error));
  }
  Serialize(results_, computation_->echo(), computation_->timing(),
            reply_bytes_);
  Succeed();
}

}  // namespace torqued::server
