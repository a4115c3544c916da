#include "server/services/model_loads.h"

#include <new>

namespace torqued::server {

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
