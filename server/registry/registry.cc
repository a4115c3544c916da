#include "server/registry/registry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/formats/urdf.h"
#include "core/model/text.h"
#include "server/flags/near_names.h"
#include "server/registry/registry_errors.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;

// An unknown name is compared with so many next to it in byte order.
constexpr std::size_t kNamesLookedAt = 128;
// A name that is deleted and registered between two reads is read again.
constexpr int kAttempts = 3;
constexpr std::uint32_t kDefaultPageSize = 100;
constexpr std::uint32_t kMaxPageSize = 1000;
// Between two reads of so many names others get at the store.
constexpr std::size_t kNamesAtOnce = 100;

ModelEntry ToEntry(Registration registration, LoadedPointer loaded) {
  return {.name = std::move(registration.name),
          .loaded = std::move(loaded),
          .registered_at = registration.registered_at,
          .labels = std::move(registration.labels)};
}

std::optional<RegistryError> CheckRequest(const RegisterRequest& request) {
  if (!IsNewModelName(request.name)) {
    return MakeError(Code::kInvalidName,
                     "model name " + Quoted(request.name) +
                         ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and "
                         "neither . nor ..",
                     "name");
  }
  if (!request.label.empty() && !IsValidLabel(request.label)) {
    return MakeError(Code::kInvalidName,
                     "label " + Quoted(request.label) +
                         ": a label is 1 to 128 of A-Z a-z 0-9 . _ - and not 8 "
                         "or more hex digits",
                     "label");
  }
  if (const std::size_t limit = UrdfLimits{}.source_bytes;
      request.source.size() > limit) {
    return MakeError(Code::kTooLarge,
                     "the source has " + std::to_string(request.source.size()) +
                         " bytes, at most " + std::to_string(limit) +
                         " are accepted",
                     "source");
  }
  return std::nullopt;
}

}  // namespace

Registry::Registry(std::unique_ptr<ModelStore> store,
                   std::size_t cached_source_bytes)
    : store_(std::move(store)), cache_(cached_source_bytes) {}

OrRegistryError<RegisterResult> Registry::Register(RegisterRequest request) {
  return RegisterAs(std::move(request), std::nullopt);
}

OrRegistryError<RegisterResult> Registry::RegisterAs(
    RegisterRequest request, const std::optional<std::string>& directory_hash) {
  if (auto error = CheckRequest(request)) return *std::move(error);

  const RevisionCache::Generation generation = cache_.generation();
  LoadedPointer loaded = cache_.Find(
      ComputeRevision(request.format, request.source, request.options));
  if (loaded == nullptr || loaded->model == nullptr) {
    loaded = LoadRevision(request.format, std::move(request.source),
                          request.options, request.cancelled);
  }
  if (loaded->model == nullptr) {
    RegistryError error = MakeError(
        Code::kInvalidModel, "invalid model: " + loaded->problem, "source");
    error.report = loaded->report;
    return error;
  }

  const std::string options = request.options.Canonical();
  RegistrationChange change;
  change.name = request.name;
  change.revision = loaded->revision;
  change.format = loaded->format;
  change.source = loaded->source;
  change.options = options;
  change.expected_current = request.expected_current;
  change.label = request.label;
  change.directory_hash = directory_hash;
  change.summary = SummaryOf(*loaded);
  change.now = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  auto stored = [&] {
    const NameCache::Change forget(names_);
    return store_->Register(change);
  }();
  if (const auto* error = std::get_if<StoreError>(&stored)) {
    return FromStore(*error);
  }
  if (const auto* conflict = std::get_if<RevisionConflict>(&stored)) {
    return Conflict(request.name, request.expected_current.value_or(""),
                    conflict->current);
  }
  if (const auto* quota = std::get_if<QuotaReached>(&stored)) {
    return Full(*quota);
  }
  auto& registered = std::get<Registered>(stored);
  cache_.Insert(loaded, generation);
  return RegisterResult{
      ToEntry(std::move(registered.registration), std::move(loaded)),
      std::move(registered.before)};
}

OrRegistryError<ModelEntry> Registry::Resolve(std::string_view reference,
                                              const AdmitSource& admit) {
  auto parsed = ParseModelReference(reference);
  if (auto* problem = std::get_if<std::string>(&parsed)) {
    return MakeError(Code::kInvalidReference, std::move(*problem), "model");
  }
  const auto& wanted = std::get<ModelReference>(parsed);
  return wanted.kind == ModelReference::Kind::kPrefix
             ? ResolveRevision(wanted, admit)
             : ResolveName(wanted, admit);
}

OrRegistryError<ModelEntry> Registry::ResolveRevision(
    const ModelReference& reference, const AdmitSource& admit) {
  constexpr std::size_t kFullSize = 64;
  std::string revision = reference.prefix;
  if (revision.size() < kFullSize) {
    auto found = store_->FindRevisions(revision, kMostCandidates + 1);
    if (const auto* error = std::get_if<StoreError>(&found)) {
      return FromStore(*error);
    }
    auto& revisions = std::get<std::vector<std::string>>(found);
    if (revisions.empty()) return NotFound(reference);
    if (revisions.size() > 1) return Ambiguous(revision, std::move(revisions));
    revision = std::move(revisions.front());
  }
  auto found = LoadStored(revision, admit);
  if (auto* error = std::get_if<RegistryError>(&found)) {
    return std::move(*error);
  }
  auto& loaded = std::get<LoadedPointer>(found);
  if (loaded == nullptr) return NotFound(reference);
  return ModelEntry{.name = "",
                    .loaded = std::move(loaded),
                    .registered_at = {},
                    .labels = {}};
}

OrRegistryError<ModelEntry> Registry::ResolveName(
    const ModelReference& reference, const AdmitSource& admit) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto found = FindRegistration(reference);
    if (auto* error = std::get_if<RegistryError>(&found)) {
      return std::move(*error);
    }
    auto& registration = std::get<Registration>(found);
    auto loaded = LoadStored(registration.revision, admit);
    if (auto* error = std::get_if<RegistryError>(&loaded)) {
      return std::move(*error);
    }
    if (auto& pointer = std::get<LoadedPointer>(loaded); pointer != nullptr) {
      return ToEntry(std::move(registration), std::move(pointer));
    }
  }
  return MakeError(Code::kStoreUnavailable,
                   "model " + Quoted(reference.name) +
                       " is being deleted and registered again; try again");
}

std::optional<ModelEntry> Registry::ResolveLoaded(std::string_view reference) {
  if (auto known = names_.Find(reference)) {
    if (LoadedPointer loaded = cache_.Find(known->revision)) {
      return ToEntry(*std::move(known), std::move(loaded));
    }
  }
  const NameCache::Generation generation = names_.generation();
  const auto parsed = ParseModelReference(reference);
  const auto* wanted = std::get_if<ModelReference>(&parsed);
  if (wanted == nullptr) return std::nullopt;
  if (wanted->kind == ModelReference::Kind::kPrefix) {
    LoadedPointer loaded = cache_.Find(wanted->prefix);
    if (loaded == nullptr) return std::nullopt;
    return ToEntry({}, std::move(loaded));
  }
  auto found = LookUp(*wanted);
  auto* registration = std::get_if<std::optional<Registration>>(&found);
  if (registration == nullptr || !*registration) return std::nullopt;
  names_.Insert(reference, **registration, generation);
  LoadedPointer loaded = cache_.Find((*registration)->revision);
  if (loaded == nullptr) return std::nullopt;
  return ToEntry(std::move(**registration), std::move(loaded));
}

OrRegistryError<std::optional<Registration>> Registry::LookUp(
    const ModelReference& reference) {
  using Kind = ModelReference::Kind;
  if (reference.kind == Kind::kNamePrefix) {
    auto found = store_->FindInHistory(reference.name, reference.prefix,
                                       kMostCandidates + 1);
    if (const auto* error = std::get_if<StoreError>(&found)) {
      return FromStore(*error);
    }
    auto& registrations = std::get<std::vector<Registration>>(found);
    if (registrations.empty()) return std::nullopt;
    if (registrations.size() == 1) return std::move(registrations.front());
    std::vector<std::string> revisions;
    revisions.reserve(registrations.size());
    for (Registration& registration : registrations) {
      revisions.push_back(std::move(registration.revision));
    }
    return Ambiguous(reference.prefix, std::move(revisions));
  }
  auto found = reference.kind == Kind::kNameLabel
                   ? store_->FindLabel(reference.name, reference.label)
                   : store_->FindCurrent(reference.name);
  if (const auto* error = std::get_if<StoreError>(&found)) {
    return FromStore(*error);
  }
  return std::get<std::optional<Registration>>(std::move(found));
}

OrRegistryError<Registration> Registry::FindRegistration(
    const ModelReference& reference) {
  auto found = LookUp(reference);
  if (auto* error = std::get_if<RegistryError>(&found)) {
    return std::move(*error);
  }
  auto& registration = std::get<std::optional<Registration>>(found);
  if (registration) return *std::move(registration);
  if (reference.kind == ModelReference::Kind::kCurrent) {
    return UnknownName(reference.name);
  }
  // Is it the name or what follows it?
  auto current = store_->FindCurrent(reference.name);
  if (const auto* error = std::get_if<StoreError>(&current)) {
    return FromStore(*error);
  }
  if (!std::get<std::optional<Registration>>(current)) {
    return UnknownName(reference.name);
  }
  return NotFound(reference);
}

std::optional<RegistryError> Registry::Delete(
    std::string_view name, const std::optional<std::string>& expected_current,
    std::string* before) {
  if (!IsValidModelName(name)) {
    return MakeError(Code::kInvalidName,
                     "model name " + Quoted(name) +
                         ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and comes "
                         "without @ here",
                     "name");
  }
  auto outcome = [&] {
    const NameCache::Change forget(names_);
    return store_->Delete(name, expected_current);
  }();
  if (const auto* error = std::get_if<StoreError>(&outcome)) {
    return FromStore(*error);
  }
  if (std::holds_alternative<NameNotFound>(outcome)) return UnknownName(name);
  if (const auto* conflict = std::get_if<RevisionConflict>(&outcome)) {
    return Conflict(name, expected_current.value_or(""), conflict->current);
  }
  auto& deleted = std::get<Deleted>(outcome);
  cache_.Erase(deleted.removed_revisions);
  if (before != nullptr) *before = std::move(deleted.before);
  return std::nullopt;
}

RegistryError Registry::UnknownName(std::string_view name) {
  RegistryError error =
      MakeError(Code::kNotFound, "no model is named " + Quoted(name));
  const auto around = store_->NamesAround(name, kNamesLookedAt);
  const auto* known = std::get_if<std::vector<std::string>>(&around);
  if (known == nullptr) return error;
  error.message +=
      known->empty() ? "; none is registered yet"
                     : flags::NameHint(flags::NearNames(name, *known), *known);
  return error;
}

OrRegistryError<LoadedPointer> Registry::LoadStored(std::string_view revision,
                                                    const AdmitSource& admit) {
  if (LoadedPointer cached = cache_.Find(revision)) return cached;
  const RevisionCache::Generation generation = cache_.generation();
  if (admit) {
    const auto asked = store_->SourceBytes(revision);
    const auto* bytes = std::get_if<std::optional<std::int64_t>>(&asked);
    if (bytes != nullptr && *bytes && !admit(**bytes)) {
      return NotAdmitted();
    }
  }
  auto read = store_->ReadRevision(revision);
  if (const auto* error = std::get_if<StoreError>(&read)) {
    if (error->code != StoreError::Code::kDamaged) return FromStore(*error);
    // Damage to one model leaves the others usable.
    LoadedPointer broken =
        Broken(revision, "the model store is damaged: " + error->message);
    store_->WriteSummary(revision, SummaryOf(*broken));
    return broken;
  }
  auto& stored = std::get<std::optional<StoredRevision>>(read);
  if (!stored) return LoadedPointer();
  const std::optional<RevisionSummary> summary = std::move(stored->summary);
  LoadedPointer loaded = LoadFromStore(*std::move(stored));
  if (const RevisionSummary is = SummaryOf(*loaded); summary != is) {
    store_->WriteSummary(revision, is);
  }
  cache_.Insert(loaded, generation);
  return loaded;
}

OrRegistryError<ModelPage> Registry::List(
    std::uint32_t page_size, std::string_view page_token,
    const std::function<bool()>& cancelled, const AdmitSource& admit) {
  std::string after;
  if (!page_token.empty()) {
    auto decoded = DecodePageToken(page_token);
    if (!decoded) {
      return MakeError(Code::kInvalidReference,
                       "page token " + Quoted(page_token) +
                           " is none that a listing returned",
                       "page_token");
    }
    after = *std::move(decoded);
  }
  const std::size_t size =
      page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
  ModelPage page;
  for (std::size_t seen = 0;;) {
    if (cancelled && cancelled()) {
      return MakeError(Code::kStoreUnavailable, "the listing was cancelled");
    }
    const std::size_t wanted = std::min(size - seen, kNamesAtOnce);
    // One more tells whether there is more.
    auto read = store_->ListNames(after, wanted + 1);
    if (const auto* error = std::get_if<StoreError>(&read)) {
      return FromStore(*error);
    }
    auto& names = std::get<std::vector<ListedName>>(read);
    const bool more = names.size() > wanted;
    if (more) names.pop_back();
    seen += names.size();
    if (more) after = names.back().name;
    for (ListedName& name : names) {
      if (!name.summary) {
        auto loaded = LoadStored(name.revision, admit);
        if (auto* error = std::get_if<RegistryError>(&loaded)) {
          return std::move(*error);
        }
        const auto& pointer = std::get<LoadedPointer>(loaded);
        if (pointer == nullptr) continue;  // deleted since the names were read
        name.summary = SummaryOf(*pointer);
      }
      page.models.push_back({.name = std::move(name.name),
                             .revision = std::move(name.revision),
                             .registered_at = name.registered_at,
                             .summary = *std::move(name.summary)});
    }
    if (more && seen == size) page.next_page_token = EncodePageToken(after);
    if (!more || seen == size) return page;
  }
}

}  // namespace torqued::server
