#include "server/services/model_loads.h"

#include <algorithm>
#include <new>
#include <optional>

#include "core/formats/urdf.h"

namespace torqued::server {

std::int64_t BytesToLoad(std::int64_t source_bytes) {
  static const auto most = static_cast<std::int64_t>(UrdfLimits().source_bytes);
  return (64 << 10) + 15 * std::min(source_bytes, most);
}

OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 Reservation* room) {
  const std::int64_t before = room->bytes();
  std::optional<Error> refusal;
  auto resolved = registry.Resolve(reference, [&](std::int64_t bytes) {
    refusal = room->Grow(BytesToLoad(bytes));
    return !refusal;
  });
  room->ShrinkTo(before);
  if (refusal) return *std::move(refusal);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return ToError(*error);
  }
  return std::get<ModelEntry>(std::move(resolved));
}

void ModelLoads::Run(std::string_view reference, std::uint64_t host,
                     std::function<void()> work) {
  std::string key(reference);
  {
    const std::lock_guard lock(mutex_);
    const auto [found, first] = loading_.try_emplace(key);
    if (!first) return void(found->second.emplace_back(host, std::move(work)));
  }
  const auto load = [this, key = std::move(key), work = std::move(work)] {
    work();
    Waiting others;
    {
      const std::lock_guard lock(mutex_);
      others = std::move(loading_.extract(key).mapped());
    }
    for (const auto& [from, other] : others) Submit(from, other);
  };
  Submit(host, load);
}

void ModelLoads::Submit(std::uint64_t host, const std::function<void()>& work) {
  try {
    pool_.Submit(work, host);
  } catch (const std::bad_alloc&) {
    work();  // else those that wait would never run
  }
}

}  // namespace torqued::server
