// Calls without their transport.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/services/computation.h"
#include "server/wire/compute_view.h"

namespace torqued::server {

/// The request checked and admitted as if it were the first of its kind.
inline OrError<std::unique_ptr<Computation>> PrepareAlone(
    const ComputeView& view, const ModelEntry& entry, std::string_view target,
    const ComputeLimits& limits, Admission& admission,
    v1::ComputeReply* reply) {
  auto setup = SetUp(view.query, entry, target);
  if (auto* error = std::get_if<Error>(&setup)) return std::move(*error);
  return Computation::Prepare(
      view.states,
      std::get<std::shared_ptr<const ComputeSetup>>(std::move(setup)), limits,
      admission, reply);
}

/// With its timing.
inline v1::Echo EchoOf(const Computation& computation) {
  v1::Echo echo;
  echo.ParseFromString(std::string(computation.echo()));
  *echo.mutable_timing() = computation.timing();
  return echo;
}

}  // namespace torqued::server
