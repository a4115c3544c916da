#include "server/registry/registry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/dynamics/singular_joint.h"
#include "core/formats/urdf.h"
#include "core/lanes/doubtful_in_single.h"
#include "core/model/text.h"
#include "server/flags/near_names.h"
#include "server/registry/page_token.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;
using LoadedPointer = std::shared_ptr<const LoadedRevision>;

constexpr std::size_t kMaxCandidates = 10;
constexpr std::uint32_t kDefaultPageSize = 100;
constexpr std::uint32_t kMaxPageSize = 1000;
// Sources in one page, so that a page of large models does not fill memory.
constexpr std::size_t kMaxPageBytes = 64u << 20;
// Among these many, in byte order, an unknown name's neighbours are sought.
constexpr std::size_t kNamesLookedAt = 256;
// A name that is deleted and registered between two reads is read again.
constexpr int kAttempts = 3;

RegistryError MakeError(Code code, std::string message,
                        std::string field = "") {
  return {.code = code,
          .message = std::move(message),
          .field = std::move(field),
          .candidates = {},
          .report = {}};
}

RegistryError FromStore(const StoreError& error) {
  return MakeError(Code::kStoreUnavailable,
                   "the model store failed: " + error.message);
}

RegistryError Conflict(std::string_view name, const std::string& expected,
                       const std::string& current) {
  std::string message = "model " + Quoted(name);
  if (current.empty()) {
    message += " does not exist, expected_current is " + Quoted(expected);
  } else if (expected.empty()) {
    message += " exists already, at revision " + current;
  } else {
    message += " is at revision " + current + ", expected_current is " +
               Quoted(expected);
  }
  RegistryError error =
      MakeError(Code::kConflict, std::move(message), "expected_current");
  if (!current.empty()) error.candidates.push_back(current);
  return error;
}

RegistryError NotFound(const ModelReference& reference) {
  using Kind = ModelReference::Kind;
  if (reference.kind == Kind::kPrefix) {
    return MakeError(
        Code::kNotFound,
        "no model has a revision that starts with " + reference.prefix);
  }
  return MakeError(
      Code::kNotFound,
      "model " + Quoted(reference.name) +
          (reference.kind == Kind::kNameLabel
               ? " has no label " + Quoted(reference.label)
               : " has had no revision that starts with " + reference.prefix));
}

RegistryError Ambiguous(std::string_view prefix,
                        std::vector<std::string> candidates) {
  const bool more = candidates.size() > kMaxCandidates;
  if (more) candidates.resize(kMaxCandidates);
  std::string message = "revision prefix " + std::string(prefix) + " fits " +
                        (more ? "more than " : "") +
                        std::to_string(candidates.size()) + " revisions:";
  for (const std::string& candidate : candidates) message += ' ' + candidate;
  RegistryError error = MakeError(Code::kAmbiguous, std::move(message));
  error.candidates = std::move(candidates);
  return error;
}

ModelEntry ToEntry(Registration registration, LoadedPointer loaded) {
  return {.name = std::move(registration.name),
          .loaded = std::move(loaded),
          .registered_at = registration.registered_at,
          .labels = std::move(registration.labels)};
}

// "the first error (and 3 more errors)"
std::string FirstError(const LintReport& report) {
  const auto findings = report.findings();
  const auto first = std::find_if(
      findings.begin(), findings.end(),
      [](const Finding& f) { return f.severity == Severity::kError; });
  if (first == findings.end()) return "it does not load";
  std::string text = first->message;
  if (first->line > 0) text += " (line " + std::to_string(first->line) + ")";
  if (const int more = report.errors() - 1; more > 0) {
    text += " and " + std::to_string(more) +
            (more == 1 ? " more error" : " more errors");
  }
  return text;
}

// Fills in model, report and problem.
void Parse(LoadedRevision& revision, const RegistrationOptions& registered,
           const std::function<bool()>& cancelled) {
  if (revision.format != "urdf") {
    revision.problem = "unknown format " + Quoted(revision.format) +
                       "; this version reads 'urdf'";
    Finding finding;
    finding.code = LintCode::kNotARobot;
    finding.message = revision.problem;
    revision.report.Add(std::move(finding));
    return;
  }
  BuildOptions options;
  options.default_tip = registered.default_tip;
  options.validation = registered.validation;
  options.singular_joint = SingularJoint;
  options.doubtful_in_single = DoubtfulInSingle;
  options.cancelled = cancelled;
  LoadResult result = LoadUrdf(revision.source, options);
  revision.model = std::move(result.model);
  revision.report = std::move(result.report);
  if (result.cancelled) {
    revision.problem = "loading it was cancelled";
  } else if (revision.model == nullptr) {
    revision.problem = FirstError(revision.report);
  }
}

LoadedPointer Broken(std::string_view revision, std::string problem) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = revision;
  loaded->problem = std::move(problem);
  return loaded;
}

LoadedPointer LoadFromStore(StoredRevision stored) {
  if (ComputeRevision(stored.format, stored.source, stored.options) !=
      stored.revision) {
    return Broken(stored.revision,
                  "what is stored does not match its revision: the model store "
                  "is damaged");
  }
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = std::move(stored.revision);
  loaded->format = std::move(stored.format);
  loaded->source = std::move(stored.source);
  loaded->options = RegistrationOptions::FromCanonical(stored.options);
  if (!loaded->options) {
    loaded->problem =
        "registered with options that this version does not know: " +
        Quoted(stored.options);
    return loaded;
  }
  // Not cancellable: it is for all who ask for the revision.
  Parse(*loaded, *loaded->options, {});
  if (loaded->model == nullptr) {
    loaded->problem = "it does not load in this version: " + loaded->problem;
  }
  return loaded;
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
                   RevisionCache::Limits cache_limits)
    : store_(std::move(store)), cache_(cache_limits) {}

std::shared_ptr<const LoadedRevision> Registry::Load(
    std::string_view format, std::string source,
    const RegistrationOptions& options,
    const std::function<bool()>& cancelled) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = ComputeRevision(format, source, options);
  loaded->format = format;
  loaded->source = std::move(source);
  loaded->options = options;
  Parse(*loaded, options, cancelled);
  return loaded;
}

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
    loaded = Load(request.format, std::move(request.source), request.options,
                  request.cancelled);
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
  auto& registered = std::get<Registered>(stored);
  cache_.Insert(loaded, generation);
  return RegisterResult{
      ToEntry(std::move(registered.registration), std::move(loaded)),
      registered.changed};
}

OrRegistryError<ModelEntry> Registry::Resolve(std::string_view reference) {
  auto parsed = ParseModelReference(reference);
  if (auto* problem = std::get_if<std::string>(&parsed)) {
    return MakeError(Code::kInvalidReference, std::move(*problem), "model");
  }
  const auto& wanted = std::get<ModelReference>(parsed);
  return wanted.kind == ModelReference::Kind::kPrefix ? ResolveRevision(wanted)
                                                      : ResolveName(wanted);
}

OrRegistryError<ModelEntry> Registry::ResolveRevision(
    const ModelReference& reference) {
  constexpr std::size_t kFullSize = 64;
  const std::string& prefix = reference.prefix;
  LoadedPointer loaded;
  if (prefix.size() == kFullSize) {
    auto found = LoadStored(prefix, CacheUse::kNormal);
    if (auto* error = std::get_if<RegistryError>(&found)) {
      return std::move(*error);
    }
    loaded = std::get<LoadedPointer>(std::move(found));
  }
  // A full one may be of an older layout.
  if (loaded == nullptr) {
    auto found = store_->FindRevisions(prefix, kMaxCandidates + 1);
    if (const auto* error = std::get_if<StoreError>(&found)) {
      return FromStore(*error);
    }
    auto& revisions = std::get<std::vector<std::string>>(found);
    if (revisions.empty()) return NotFound(reference);
    if (revisions.size() > 1) return Ambiguous(prefix, std::move(revisions));
    auto read = LoadStored(revisions.front(), CacheUse::kNormal);
    if (auto* error = std::get_if<RegistryError>(&read)) {
      return std::move(*error);
    }
    loaded = std::get<LoadedPointer>(std::move(read));
  }
  if (loaded == nullptr) return NotFound(reference);
  return ModelEntry{.name = "",
                    .loaded = std::move(loaded),
                    .registered_at = {},
                    .labels = {}};
}

OrRegistryError<ModelEntry> Registry::ResolveName(
    const ModelReference& reference) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto found = FindRegistration(reference);
    if (auto* error = std::get_if<RegistryError>(&found)) {
      return std::move(*error);
    }
    auto& registration = std::get<Registration>(found);
    auto loaded = LoadStored(registration.revision, CacheUse::kNormal);
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
                                       kMaxCandidates + 1);
    if (const auto* error = std::get_if<StoreError>(&found)) {
      return FromStore(*error);
    }
    auto& registrations = std::get<std::vector<Registration>>(found);
    if (registrations.empty()) return std::nullopt;
    if (registrations.size() == 1) return std::move(registrations.front());
    std::vector<std::string> candidates;
    candidates.reserve(registrations.size());
    for (Registration& registration : registrations) {
      candidates.push_back(std::move(registration.revision));
    }
    return Ambiguous(reference.prefix, std::move(candidates));
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

OrRegistryError<std::shared_ptr<const LoadedRevision>> Registry::LoadStored(
    std::string_view revision, CacheUse use) {
  const RevisionCache::Generation generation = cache_.generation();
  if (LoadedPointer cached = use == CacheUse::kScan ? cache_.Peek(revision)
                                                    : cache_.Find(revision)) {
    return cached;
  }
  auto read = store_->ReadRevision(revision);
  if (const auto* error = std::get_if<StoreError>(&read)) {
    // Damage to one model leaves the others usable.
    if (error->code == StoreError::Code::kDamaged) {
      return Broken(revision, "the model store is damaged: " + error->message);
    }
    return FromStore(*error);
  }
  auto& stored = std::get<std::optional<StoredRevision>>(read);
  if (!stored) return LoadedPointer();
  LoadedPointer loaded = LoadFromStore(*std::move(stored));
  if (use == CacheUse::kScan) {
    cache_.InsertIfRoom(loaded, generation);
  } else {
    cache_.Insert(loaded, generation);
  }
  return loaded;
}

OrRegistryError<ModelPage> Registry::List(std::uint32_t page_size,
                                          std::string_view page_token) {
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
  auto listed = store_->ListNames(after, size + 1);
  if (const auto* error = std::get_if<StoreError>(&listed)) {
    return FromStore(*error);
  }
  auto& names = std::get<std::vector<Registration>>(listed);

  ModelPage page;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == size || bytes >= kMaxPageBytes) {
      page.next_page_token = EncodePageToken(names[i - 1].name);
      break;
    }
    auto loaded = LoadStored(names[i].revision, CacheUse::kScan);
    if (auto* error = std::get_if<RegistryError>(&loaded)) {
      return std::move(*error);
    }
    auto& pointer = std::get<LoadedPointer>(loaded);
    if (pointer != nullptr) {
      bytes += pointer->source.size();
      page.models.push_back(ToEntry(names[i], std::move(pointer)));
      continue;
    }
    // Deleted since the names were read; perhaps registered anew.
    auto again =
        ResolveName({ModelReference::Kind::kCurrent, names[i].name, "", ""});
    if (auto* entry = std::get_if<ModelEntry>(&again)) {
      bytes += entry->loaded->source.size();
      page.models.push_back(std::move(*entry));
    } else if (auto& error = std::get<RegistryError>(again);
               error.code != Code::kNotFound) {
      return std::move(error);
    }
  }
  return page;
}

std::optional<RegistryError> Registry::Delete(
    std::string_view name, const std::optional<std::string>& expected_current) {
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
  cache_.Erase(std::get<Deleted>(outcome).removed_revisions);
  return std::nullopt;
}

RegistryError Registry::UnknownName(std::string_view name) {
  RegistryError error =
      MakeError(Code::kNotFound, "no model is named " + Quoted(name));
  const auto listed = store_->ListNames("", kNamesLookedAt);
  const auto* registrations = std::get_if<std::vector<Registration>>(&listed);
  if (registrations == nullptr) return error;
  if (registrations->empty()) {
    error.message += "; none is registered yet";
    return error;
  }
  std::vector<std::string> known;
  known.reserve(registrations->size());
  for (const Registration& registration : *registrations) {
    known.push_back(registration.name);
  }
  error.message += flags::NameHint(flags::NearNames(name, known), known);
  return error;
}

}  // namespace torqued::server
