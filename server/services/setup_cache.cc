#include "server/services/setup_cache.h"

#include <cstdint>
#include <string>
#include <utility>

namespace torqued::server {
namespace {

// Measured with robots of 1 to 85 frames: what a setup takes that its bytes()
// leaves out, and the model, by its frames.
constexpr std::size_t kBytesOfSetup = 4096;
constexpr std::size_t kBytesOfFrame = 1280;

void AppendNumber(std::size_t number, std::string* key) {
  const auto fixed = static_cast<std::uint64_t>(number);
  key->append(reinterpret_cast<const char*>(&fixed), sizeof(fixed));
}

/// With its length, so that no two queries have one key.
void AppendText(std::string_view text, std::string* key) {
  AppendNumber(text.size(), key);
  key->append(text);
}

/// Absent and empty are the same, as they are to DecodeQuery.
template <class Message>
void AppendMessage(const Message* message, std::string* key) {
  if (message == nullptr) return AppendNumber(0, key);
  AppendNumber(message->ByteSizeLong(), key);
  message->AppendPartialToString(key);
}

/// Everything that a setup depends on, but for the target.
void WriteKey(const QueryView& view, const ModelEntry& entry,
              std::string* key) {
  key->clear();
  AppendText(entry.name, key);
  AppendText(entry.loaded->revision, key);
  AppendNumber(view.quantities.size(), key);
  key->append(reinterpret_cast<const char*>(view.quantities.data()),
              view.quantities.size_bytes());
  AppendMessage(view.options, key);
  AppendMessage(view.operational_space, key);
  AppendNumber(static_cast<std::size_t>(view.wrench_frame), key);
}

bool IsLarge(const QueryView& view, const ModelEntry& entry) {
  const Model* model = entry.loaded->model.get();
  return model == nullptr || model->nv() > SetupCache::kMaxDof ||
         model->frames().size() > SetupCache::kMaxFrames ||
         view.quantities.size_bytes() > SetupCache::kMaxQueryBytes ||
         (view.options != nullptr &&
          view.options->ByteSizeLong() > SetupCache::kMaxQueryBytes) ||
         (view.operational_space != nullptr &&
          view.operational_space->ByteSizeLong() > SetupCache::kMaxQueryBytes);
}

}  // namespace

OrError<std::shared_ptr<const ComputeSetup>> SetupCache::SetUp(
    const QueryView& view, const ModelEntry& entry, std::string_view target) {
  if (IsLarge(view, entry)) return server::SetUp(view, entry, target);
  // Keeps its memory from call to call.
  static thread_local std::string key;
  WriteKey(view, entry, &key);
  if (auto known = Find(key)) return known;
  auto made = server::SetUp(view, entry, target);
  if (const auto* setup =
          std::get_if<std::shared_ptr<const ComputeSetup>>(&made);
      setup != nullptr && (*setup)->plan.bytes() <= kMaxPlanBytes) {
    Insert(key, *setup);
  }
  return made;
}

std::size_t SetupCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

SetupCache::Setup SetupCache::Find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const Setup* found = entries_.Find(key);
  return found == nullptr ? nullptr : *found;
}

void SetupCache::Insert(std::string_view key, const Setup& setup) {
  const std::size_t frames = setup->plan.model().frames().size();
  const std::size_t bytes = kBytesOfSetup + kBytesOfFrame * frames +
                            key.size() +
                            static_cast<std::size_t>(setup->bytes());
  LruMap<Setup>::Entries out;  // freed after the lock
  const std::lock_guard lock(mutex_);
  out = entries_.Insert({std::string(key), setup, bytes});
}

}  // namespace torqued::server
