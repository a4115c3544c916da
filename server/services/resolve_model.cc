#include "server/services/resolve_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/formats/urdf.h"
#include "server/errors/error.h"

namespace torqued::server {

std::int64_t BytesToLoad(std::int64_t source_bytes) {
  constexpr std::int64_t kLeast = 64 << 10;
  constexpr std::int64_t kBytesOfByte = 15;
  static const auto most = static_cast<std::int64_t>(UrdfLimits().source_bytes);
  return kLeast + kBytesOfByte * std::min(source_bytes, most);
}

OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 const PeerAdmission& admission) {
  Admission::Reservation loading;
  std::optional<Error> refusal;
  auto resolved = registry.Resolve(reference, [&](std::int64_t bytes) {
    auto admitted = admission.Admit({.bytes = BytesToLoad(bytes)});
    if (auto* error = std::get_if<Error>(&admitted)) {
      refusal = std::move(*error);
    } else {
      loading = std::get<Admission::Reservation>(std::move(admitted));
    }
    return !refusal;
  });
  if (refusal) return *std::move(refusal);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return ToError(*error);
  }
  return std::get<ModelEntry>(std::move(resolved));
}

}  // namespace torqued::server
