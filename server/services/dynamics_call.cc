#include "server/services/dynamics_call.h"

#include "server/errors/mapping.h"

namespace torqued::server {

void DynamicsCall::Run() {
  set_model(*view_.model);
  if (const auto entry = context_.registry.ResolveLoaded(*view_.model)) {
    return Compute(*entry);
  }
  // Not counted twice: Compute admits it with its rows and its reply.
  auto admitted = context_.admission.Admit({0, RequestBytes()});
  if (auto* error = std::get_if<Error>(&admitted)) {
    return Fail(std::move(*error));
  }
  waiting_ = std::get<Admission::Ticket>(std::move(admitted));
  context_.engine.scheduler().Submit(
      [this] { Guarded([this] { ResolveAndCompute(); }); });
}

void DynamicsCall::ResolveAndCompute() {
  if (cancelled()) return Abandon();
  const auto resolved = context_.registry.Resolve(*view_.model);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return Fail(ToError(*error));
  }
  waiting_ = Admission::Ticket();
  Compute(std::get<ModelEntry>(resolved));
}

void DynamicsCall::Compute(const ModelEntry& entry) {
  Engine& engine = context_.engine;
  auto prepared =
      Computation::Prepare(view_, entry, engine.target(), context_.limits,
                           context_.admission, &reply_);
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
      cancellation(), computation_->fail_fast());
}

void DynamicsCall::OnEvaluated(const EvaluationReport& report) {
  if (cancelled()) return Abandon();
  if (report.failed) return FailAsFault();
  if (auto error = computation_->Complete(report, prepared_)) {
    return Fail(*std::move(error));
  }
  MoveReplyOut(&reply_);
  Succeed();
}

}  // namespace torqued::server
