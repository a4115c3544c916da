#include "client/cli/shown_progress.h"

#include <utility>

namespace torqued::cli {

using SteadyClock = std::chrono::steady_clock;

ShownProgress::ShownProgress(Session& session, std::string unit)
    : session_(session), unit_(std::move(unit)), start_(SteadyClock::now()) {}

ShownProgress::~ShownProgress() {
  const auto lock = session_.LockScreen();
  session_.set_progress(nullptr);
  if (bar_) bar_->Clear();
}

void ShownProgress::Update(std::int64_t done, std::int64_t total) {
  const auto lock = session_.LockScreen();
  if (!bar_) {
    bar_.emplace(session_.err(), ProgressStyleOfStderr(session_.flags().quiet),
                 unit_, total, start_);
    session_.set_progress(&*bar_);
  }
  bar_->Update(done, SteadyClock::now());
}

client::Evaluation Compute(Session& session,
                           const std::vector<v1::Quantity>& quantities,
                           const std::string& model,
                           const client::States& states,
                           client::ComputeOptions options) {
  ShownProgress progress(session, "states");
  options.progress = [&progress](std::int64_t done, std::int64_t total) {
    progress.Update(done, total);
  };
  return session.client().Compute(model, quantities, states, options);
}

}  // namespace torqued::cli
