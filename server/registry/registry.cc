#include "server/registry/registry.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/formats/urdf.h"
#include "core/model/text.h"
#include "server/flags/near_names.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;

// An unknown name is compared with so many before and after it in byte order.
constexpr std::int64_t kNamesLookedAt = 64;
// Of an ambiguous prefix, those that are named.
constexpr std::size_t kMostCandidates = 10;
// A name that is deleted and registered between two reads is read again.
constexpr int kAttempts = 3;
constexpr std::size_t kRevisionSize = 64;
constexpr std::uint32_t kDefaultPageSize = 100;
constexpr std::uint32_t kMaxPageSize = 1000;

ModelEntry ToEntry(Registration registration, LoadedPointer loaded) {
  return {.name = std::move(registration.name),
          .loaded = std::move(loaded),
          .registered_at = registration.registered_at,
          .labels = std::move(registration.labels)};
}

/// Throws.
void CheckRequest(const RegisterRequest& request) {
  if (!IsNewModelName(request.name)) {
    throw RegistryError{
        .code = Code::kInvalidName,
        .message = "model name " + Quoted(request.name) +
                   ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and "
                   "neither . nor ..",
        .field = "name"};
  }
  if (!request.label.empty() && !IsValidLabel(request.label)) {
    throw RegistryError{
        .code = Code::kInvalidName,
        .message = "label " + Quoted(request.label) +
                   ": a label is 1 to 128 of A-Z a-z 0-9 . _ - and "
                   "not 8 or more hex digits",
        .field = "label"};
  }
  if (const std::size_t limit = UrdfLimits{}.source_bytes;
      request.source.size() > limit) {
    throw RegistryError{
        .code = Code::kTooLarge,
        .message = "the source has " + std::to_string(request.source.size()) +
                   " bytes, at most " + std::to_string(limit) + " are accepted",
        .field = "source"};
  }
}

RegistryError Ambiguous(const std::string& prefix,
                        const std::vector<Registration>& found) {
  const std::size_t listed = std::min(found.size(), kMostCandidates);
  RegistryError error{.code = Code::kAmbiguous,
                      .message = "revision prefix " + prefix + " fits " +
                                 (listed < found.size() ? "more than " : "") +
                                 std::to_string(listed) + " revisions:"};
  for (std::size_t i = 0; i < listed; ++i) {
    error.message += ' ' + found[i].revision;
    error.candidates.push_back(found[i].revision);
  }
  return error;
}

}  // namespace

OrRegistryError<RegisterResult> Registry::Register(RegisterRequest request) {
  return Answer([&] { return Store(std::move(request), std::nullopt); });
}

RegisterResult Registry::Store(
    RegisterRequest request, const std::optional<std::string>& directory_hash) {
  CheckRequest(request);
  const Cache::Generation generation = cache_.generation();
  LoadedPointer loaded = cache_.FindRevision(
      ComputeRevision(request.format, request.source, request.options));
  if (loaded == nullptr || loaded->model == nullptr) {
    loaded = LoadRevision(request.format, std::move(request.source),
                          request.options, request.cancelled);
  }
  if (loaded->model == nullptr) {
    throw RegistryError{.code = Code::kInvalidModel,
                        .message = "invalid model: " + loaded->problem,
                        .field = "source",
                        .report = loaded->report};
  }

  const std::string options = request.options.Canonical();
  const RegistrationChange change{
      .name = request.name,
      .revision = loaded->revision,
      .format = loaded->format,
      .source = loaded->source,
      .options = options,
      .summary = loaded->Summary(),
      .expected_current = std::move(request.expected_current),
      .label = request.label,
      .directory_hash = directory_hash,
      .now = std::chrono::system_clock::now()};
  Registered registered = [&] {
    const Cache::Change dropped(cache_);
    return store_->Register(change);
  }();
  cache_.InsertRevision(loaded, generation);
  return {ToEntry(std::move(registered.registration), std::move(loaded)),
          std::move(registered.before)};
}

OrRegistryError<ModelEntry> Registry::Resolve(std::string_view reference,
                                              const AdmitSource& admit) {
  return Answer([&] {
    auto parsed = ParseModelReference(reference);
    if (auto* problem = std::get_if<std::string>(&parsed)) {
      throw RegistryError{.code = Code::kInvalidReference,
                          .message = std::move(*problem),
                          .field = "model"};
    }
    const auto& wanted = std::get<ModelReference>(parsed);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      auto registration = LookUp(wanted);
      if (!registration) throw NotFound(wanted);
      if (LoadedPointer loaded = Load(registration->revision, admit)) {
        return ToEntry(*std::move(registration), std::move(loaded));
      }
    }
    if (wanted.name.empty()) throw NotFound(wanted);
    throw RegistryError{
        .code = Code::kStoreUnavailable,
        .message = "model " + Quoted(wanted.name) +
                   " is being deleted and registered again; try again"};
  });
}

std::optional<ModelEntry> Registry::ResolveLoaded(std::string_view reference) {
  auto registration = cache_.FindName(reference);
  if (!registration) {
    const Cache::Generation generation = cache_.generation();
    const auto parsed = ParseModelReference(reference);
    const auto* wanted = std::get_if<ModelReference>(&parsed);
    if (wanted == nullptr) return std::nullopt;
    auto found = Answer([&] { return LookUp(*wanted); });
    if (std::holds_alternative<RegistryError>(found)) return std::nullopt;
    registration = std::get<std::optional<Registration>>(std::move(found));
    if (!registration) return std::nullopt;
    if (!wanted->name.empty()) {
      cache_.InsertName(reference, *registration, generation);
    }
  }
  LoadedPointer loaded = cache_.FindRevision(registration->revision);
  if (loaded == nullptr) return std::nullopt;
  return ToEntry(*std::move(registration), std::move(loaded));
}

std::optional<Registration> Registry::LookUp(const ModelReference& reference) {
  if (reference.name.empty() && reference.prefix.size() == kRevisionSize) {
    return Registration{.name = "",
                        .revision = reference.prefix,
                        .registered_at = {},
                        .labels = {}};
  }
  auto found = store_->Find(reference, kMostCandidates + 1);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) throw Ambiguous(reference.prefix, found);
  return std::move(found.front());
}

RegistryError Registry::NotFound(const ModelReference& reference) {
  RegistryError error{.code = Code::kNotFound};
  if (reference.name.empty()) {
    error.message =
        "no model has a revision that starts with " + reference.prefix;
    return error;
  }
  if (!store_->Find({.name = reference.name}, 1).empty()) {
    error.message =
        "model " + Quoted(reference.name) +
        (reference.prefix.empty()
             ? " has no label " + Quoted(reference.label)
             : " has had no revision that starts with " + reference.prefix);
    return error;
  }
  const auto known = store_->NamesAround(reference.name, kNamesLookedAt);
  error.message = "no model is named " + Quoted(reference.name);
  error.message +=
      known.empty()
          ? "; none is registered yet"
          : flags::NameHint(flags::NearNames(reference.name, known), known);
  return error;
}

LoadedPointer Registry::Load(std::string_view revision,
                             const AdmitSource& admit) {
  if (LoadedPointer cached = cache_.FindRevision(revision)) return cached;
  const Cache::Generation generation = cache_.generation();
  std::optional<StoredRevision> stored;
  try {
    if (admit && !admit(store_->SourceBytes(revision))) {
      throw RegistryError{.code = Code::kNotAdmitted,
                          .message = "there is no room to load the model now"};
    }
    stored = store_->ReadRevision(revision);
  } catch (const StoreError& error) {
    if (error.code != StoreError::Code::kDamaged) throw;
    // Damage to one model leaves the others usable.
    stored = StoredRevision{.revision = std::string(revision)};
  }
  if (!stored) return nullptr;
  const RevisionSummary summary = std::move(stored->summary);
  LoadedPointer loaded = LoadFromStore(*std::move(stored));
  if (RevisionSummary is = loaded->Summary(); summary != is) {
    store_->WriteSummary(revision, is);
  }
  cache_.InsertRevision(loaded, generation);
  return loaded;
}

OrRegistryError<ModelPage> Registry::List(
    std::uint32_t page_size, std::string_view page_token,
    const std::function<bool()>& cancelled, const AdmitSource& admit) {
  return Answer([&] {
    const auto after = page_token.empty() ? "" : DecodePageToken(page_token);
    if (!after) {
      throw RegistryError{.code = Code::kInvalidReference,
                          .message = "page token " + Quoted(page_token) +
                                     " is none that a listing returned",
                          .field = "page_token"};
    }
    const std::size_t size =
        page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
    ModelPage page;
    // One more tells whether there is more.
    auto listed =
        store_->ListNames(*after, static_cast<std::int64_t>(size) + 1);
    if (listed.size() > size) {
      listed.pop_back();
      page.next_page_token = EncodePageToken(listed.back().name);
    }
    for (ListedModel& model : listed) {
      if (model.summary == RevisionSummary()) {
        if (cancelled && cancelled()) {
          throw RegistryError{.code = Code::kStoreUnavailable,
                              .message = "the listing was cancelled"};
        }
        const LoadedPointer loaded = Load(model.revision, admit);
        if (loaded == nullptr) continue;  // deleted since the names were read
        model.summary = loaded->Summary();
      }
      page.models.push_back(std::move(model));
    }
    return page;
  });
}

std::optional<RegistryError> Registry::Delete(
    std::string_view name, const std::optional<std::string>& expected_current,
    std::string* before) {
  auto outcome = Answer([&] {
    if (!IsValidModelName(name)) {
      throw RegistryError{
          .code = Code::kInvalidName,
          .message = "model name " + Quoted(name) +
                     ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and "
                     "comes without @ here",
          .field = "name"};
    }
    Cache::Change change(cache_);
    auto deleted = store_->Delete(name, expected_current);
    if (!deleted) throw NotFound({.name = std::string(name)});
    change.Erase(deleted->removed_revisions);
    return std::move(deleted->before);
  });
  if (auto* error = std::get_if<RegistryError>(&outcome)) {
    return std::move(*error);
  }
  if (before != nullptr) *before = std::get<std::string>(std::move(outcome));
  return std::nullopt;
}

}  // namespace torqued::server
