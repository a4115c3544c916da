// The samples of a trajectory as they come in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "server/errors/error.h"
#include "server/services/admission.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Keeps what messages bring, admitted as work under way.
class TrajectorySamples {
 public:
  /// For so many joints.
  TrajectorySamples(int joints, PeerAdmission admission)
      : joints_(joints), admission_(admission) {}

  /// Fields of errors are those of the message.
  std::optional<Error> Append(const v1::TrajectorySamples& message);

  /// Room for so many bytes more beside the samples.
  std::optional<Error> AdmitBytes(std::int64_t bytes);
  /// Room for `numbers` more beside the samples.
  std::optional<Error> AdmitMore(std::int64_t numbers);

  Admission::Load load() const { return reservation_.load(); }

  /// Begins to derive the rates that were not sent, or says why they cannot be
  /// derived. Once all samples are there. `joints`: names of the columns.
  std::optional<Error> Complete(std::optional<SplineMethod> derive,
                                std::span<const std::string> joints);
  /// After Complete, until all rates are there: DeriveRows goes on.
  bool deriving() const { return derivatives_.has_value(); }
  /// For some thousand rows, fewer with many joints.
  std::optional<Error> DeriveRows();
  bool derived() const { return derived_.has_value(); }

  std::int64_t rows() const { return static_cast<std::int64_t>(time_.size()); }
  const std::vector<double>& time() const { return time_; }
  /// As long as this lives and nothing is appended.
  Trajectory View() const;

 private:
  struct Column;

  std::optional<Error> BeginToDerive(SplineMethod method,
                                     std::span<const std::string> joints);

  SampleView Table(const std::vector<double>& numbers, int columns) const;

  int joints_;
  PeerAdmission admission_;
  Admission::Reservation reservation_;
  std::vector<double> time_, q_, v_, a_, wrench_;
  std::optional<SplineDerivatives> derivatives_;
  std::optional<SplineMethod> derived_;
};

}  // namespace torqued::server
