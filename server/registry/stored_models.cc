// Registry::LoadStored, and what a list says of stored models.
#include <utility>

#include "server/registry/load_revision.h"
#include "server/registry/registry.h"
#include "server/registry/registry_errors.h"

namespace torqued::server {

OrRegistryError<std::shared_ptr<const LoadedRevision>> Registry::LoadStored(
    std::string_view revision, const AdmitSource& admit) {
  Summaries corrections;
  auto loaded = LoadStored(revision, &corrections, admit);
  // Where they cannot be written, the next who loads it tries again.
  if (!corrections.empty()) store_->WriteSummaries(corrections);
  return loaded;
}

OrRegistryError<std::shared_ptr<const LoadedRevision>> Registry::LoadStored(
    std::string_view revision, Summaries* corrections,
    const AdmitSource& admit) {
  if (LoadedPointer cached = cache_.Find(revision)) return cached;
  const LoadingTurns::Turn turn(loading_, revision);
  const RevisionCache::Generation generation = cache_.generation();
  // Who had the turn before may have loaded it.
  if (LoadedPointer cached = cache_.Find(revision)) return cached;
  if (admit.read) {
    const auto asked = store_->SourceBytes(revision);
    const auto* bytes = std::get_if<std::optional<std::int64_t>>(&asked);
    if (bytes != nullptr && *bytes && !admit.read(**bytes)) {
      return NotAdmitted();
    }
  }
  auto read = store_->ReadRevision(revision);
  if (const auto* error = std::get_if<StoreError>(&read)) {
    if (error->code != StoreError::Code::kDamaged) return FromStore(*error);
    // Damage to one model leaves the others usable.
    LoadedPointer broken = Broken(revision, Damaged(error->message));
    corrections->emplace(revision, SummaryOf(*broken));
    return broken;
  }
  auto& stored = std::get<std::optional<StoredRevision>>(read);
  if (!stored) return LoadedPointer();
  if (admit.parse && !admit.parse(stored->source)) return NotAdmitted();
  const std::optional<RevisionSummary> summary = std::move(stored->summary);
  LoadedPointer loaded = LoadFromStore(*std::move(stored));
  if (RevisionSummary is = SummaryOf(*loaded); summary != is) {
    corrections->emplace(loaded->revision, std::move(is));
  }
  cache_.Insert(loaded, generation);
  return loaded;
}

OrRegistryError<std::vector<ListedModel>> Registry::Summarized(
    std::vector<ListedName> names, const AdmitSource& admit) {
  std::vector<ListedModel> models;
  models.reserve(names.size());
  Summaries corrections;
  std::optional<RegistryError> problem;
  for (ListedName& name : names) {
    problem = Summarize(std::move(name), models, &corrections, admit);
    if (problem) break;
  }
  // Who tries again finds what was made before the problem.
  if (!corrections.empty()) store_->WriteSummaries(corrections);
  if (problem) return *std::move(problem);
  return models;
}

std::optional<RegistryError> Registry::Summarize(
    ListedName listed, std::vector<ListedModel>& models, Summaries* corrections,
    const AdmitSource& admit) {
  ListedModel model{.name = std::move(listed.name),
                    .revision = std::move(listed.revision),
                    .registered_at = listed.registered_at,
                    .summary = {}};
  if (!listed.damage.empty()) {
    model.summary.problem = Damaged(listed.damage);
  } else if (listed.summary) {
    model.summary = *std::move(listed.summary);
  } else {
    auto read = LoadStored(model.revision, corrections, admit);
    if (auto* error = std::get_if<RegistryError>(&read)) {
      return std::move(*error);
    }
    if (const auto& loaded = std::get<LoadedPointer>(read)) {
      model.summary = SummaryOf(*loaded);
    } else {
      // Deleted since the names were read; perhaps registered anew.
      auto again = ResolveName(
          {ModelReference::Kind::kCurrent, model.name, "", ""}, admit);
      if (auto* error = std::get_if<RegistryError>(&again)) {
        if (error->code == RegistryError::Code::kNotFound) return std::nullopt;
        return std::move(*error);
      }
      const auto& entry = std::get<ModelEntry>(again);
      model.revision = entry.loaded->revision;
      model.registered_at = entry.registered_at;
      model.summary = SummaryOf(*entry.loaded);
    }
  }
  models.push_back(std::move(model));
  return std::nullopt;
}

}  // namespace torqued::server
