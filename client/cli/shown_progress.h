// How far a command is, for as long as it works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/session.h"
#include "client/cli/terminal/progress_bar.h"

namespace torqued::cli {

/// Shows on stderr, unless quiet, how much is done; gone at its end.
class ShownProgress {
 public:
  /// `unit` is what is counted: "states". The time runs from here on.
  ShownProgress(Session& session, std::string unit);
  ~ShownProgress();
  ShownProgress(const ShownProgress&) = delete;
  ShownProgress& operator=(const ShownProgress&) = delete;

  void Update(std::int64_t done, std::int64_t total);

 private:
  Session& session_;
  const std::string unit_;
  const ProgressBar::TimePoint start_;
  std::optional<ProgressBar> bar_;  // once the total is known
};

/// Computes quantities of states, and shows how far that is.
client::Evaluation Compute(Session& session,
                           const std::vector<v1::Quantity>& quantities,
                           const std::string& model,
                           const client::States& states,
                           client::ComputeOptions options);

}  // namespace torqued::cli
