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
constexpr std::size_t kMostCandidates = 10;
constexpr std::uint32_t kDefaultPageSize = 100, kMaxPageSize = 1000;

ModelEntry ToEntry(Registration registration, LoadedPointer loaded) {
  return {.name = std::move(registration.name),
          .loaded = std::move(loaded),
          .registered_at = registration.registered_at,
          .labels = std::move(registration.labels)};
}

[[noreturn]] void Refuse(Code code, std::string message,
                         std::string field = {}) {
  throw RegistryError{
      .code = code, .message = std::move(message), .field = std::move(field)};
}

/// Throws.
void CheckRequest(const RegisterRequest& request) {
  if (!IsNewModelName(request.name)) {
    Refuse(Code::kInvalidName,
           "model name " + Quoted(request.name) +
               ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and neither . nor ..",
           "name");
  }
  if (!request.label.empty() && !IsValidLabel(request.label)) {
    Refuse(Code::kInvalidName,
           "label " + Quoted(request.label) +
               ": a label is 1 to 128 of A-Z a-z 0-9 . _ - and not 8 or more "
               "hex digits",
           "label");
  }
  const std::size_t bytes = request.source.size();
  if (const std::size_t limit = UrdfLimits{}.source_bytes; bytes > limit) {
    Refuse(Code::kTooLarge,
           "the source has " + std::to_string(bytes) + " bytes, at most " +
               std::to_string(limit) + " are accepted",
           "source");
  }
}

/// Throws.
ModelReference Parse(std::string_view reference) {
  auto parsed = ParseModelReference(reference);
  if (auto* problem = std::get_if<std::string>(&parsed)) {
    Refuse(Code::kInvalidReference, std::move(*problem), "model");
  }
  return std::get<ModelReference>(std::move(parsed));
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
  return Answer([&] { return Store(std::move(request)); });
}

RegisterResult Registry::Store(RegisterRequest request) {
  CheckRequest(request);
  const std::uint64_t generation = cache_.generation();
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

  std::string before;
  Registration registered = cache_.WhileChanging(
      [&] { return store_->Register(request, *loaded, &before); });
  cache_.InsertRevision(loaded, generation);
  return {ToEntry(std::move(registered), std::move(loaded)), before};
}

OrRegistryError<ModelEntry> Registry::Resolve(std::string_view reference,
                                              const AdmitSource& admit) {
  return Answer([&] {
    const ModelReference wanted = Parse(reference);
    for (;;) {
      Registration found = LookUp(wanted);
      if (found.revision.empty()) throw NotFound(wanted);
      if (LoadedPointer loaded = Load(found.revision, admit)) {
        return ToEntry(std::move(found), std::move(loaded));
      }
      // A name that was deleted between the two reads may be there again.
      if (wanted.name.empty()) throw NotFound(wanted);
    }
  });
}

std::optional<ModelEntry> Registry::ResolveLoaded(std::string_view reference) {
  Registration found = cache_.FindName(reference);
  if (found.revision.empty()) {
    const std::uint64_t generation = cache_.generation();
    auto read = Answer([&] { return LookUp(Parse(reference)); });
    if (auto* known = std::get_if<Registration>(&read)) found = *known;
    if (!found.name.empty()) cache_.InsertName(reference, found, generation);
  }
  LoadedPointer loaded = cache_.FindRevision(found.revision);
  if (loaded == nullptr) return std::nullopt;
  return ToEntry(std::move(found), std::move(loaded));
}

Registration Registry::LookUp(const ModelReference& reference) {
  if (reference.name.empty() && reference.prefix.size() == kRevisionSize) {
    return {.revision = reference.prefix};
  }
  auto found = store_->Find(reference, kMostCandidates + 1);
  if (found.size() > 1) throw Ambiguous(reference.prefix, found);
  return found.empty() ? Registration() : std::move(found.front());
}

RegistryError Registry::NotFound(const ModelReference& reference) {
  const auto& [name, prefix, label] = reference;
  std::string message;
  if (name.empty()) {
    message = "no model has a revision that starts with " + prefix;
  } else if (!(prefix + label).empty() &&
             !store_->Find({.name = name}, 1).empty()) {
    message =
        "model " + Quoted(name) +
        (prefix.empty() ? " has no label " + Quoted(label)
                        : " has had no revision that starts with " + prefix);
  } else {
    const auto known = store_->NamesAround(name, kNamesLookedAt);
    message =
        "no model is named " + Quoted(name) +
        (known.empty() ? "; none is registered yet"
                       : flags::NameHint(flags::NearNames(name, known), known));
  }
  return {.code = Code::kNotFound, .message = std::move(message)};
}

LoadedPointer Registry::Load(std::string_view revision,
                             const AdmitSource& admit) {
  if (LoadedPointer cached = cache_.FindRevision(revision)) return cached;
  const std::uint64_t generation = cache_.generation();
  std::optional<StoredRevision> stored;
  try {
    if (admit && !admit(store_->SourceBytes(revision))) {
      Refuse(Code::kNotAdmitted, "there is no room to load the model now");
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
      Refuse(Code::kInvalidReference,
             "page token " + Quoted(page_token) +
                 " is none that a listing returned",
             "page_token");
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
          Refuse(Code::kStoreUnavailable, "the listing was cancelled");
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
  std::string current;
  auto outcome = Answer([&] {
    if (!IsValidModelName(name)) {
      Refuse(Code::kInvalidName,
             "model name " + Quoted(name) +
                 ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and has no @ here",
             "name");
    }
    cache_.EraseRevisions(cache_.WhileChanging(
        [&] { return store_->Delete(name, expected_current, &current); }));
    if (current.empty()) throw NotFound({.name = std::string(name)});
    return true;
  });
  if (before != nullptr) *before = current;
  auto* error = std::get_if<RegistryError>(&outcome);
  return error == nullptr ? std::nullopt : std::optional(std::move(*error));
}

}  // namespace torqued::server
