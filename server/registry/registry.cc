#include "server/registry/registry.h"

#include <algorithm>
#include <iterator>
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
// Between two reads of so many names others get at the store.
constexpr std::size_t kNamesAtOnce = 100;
// An unknown name is compared with so many next to it in byte order.
constexpr std::size_t kNamesLookedAt = 128;
// A name that is deleted and registered between two reads is read again.
constexpr int kAttempts = 3;

RegistryError MakeError(Code code, std::string message,
                        std::string field = "") {
  return {.code = code,
          .message = std::move(message),
          .field = std::move(field),
          .candidates = {},
          .report = {},
          .setting = {}};
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

RegistryError Full(const QuotaReached& quota) {
  struct Words {
    std::string_view what, setting;
  };
  const auto [what, setting] = [&quota]() -> Words {
    switch (quota.of) {
      case QuotaReached::Of::kModels:
        return {" models", "max-models"};
      case QuotaReached::Of::kRevisions:
        return {" revisions", "max-revisions"};
      case QuotaReached::Of::kBytes:
        return {" bytes", "max-store-bytes"};
      case QuotaReached::Of::kLabels:
        return {" labels of a model", ""};
    }
    return {};
  }();
  RegistryError error =
      MakeError(Code::kQuota, Cat("the model store is full: it takes at most ",
                                  std::to_string(quota.limit), what,
                                  setting.empty() ? "" : " (", setting,
                                  setting.empty() ? "" : ")",
                                  "; delete models that are not needed"));
  error.limit = quota.limit;
  error.setting = setting;
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

RegistryError NotAdmitted() {
  return MakeError(Code::kNotAdmitted,
                   "there is no room to load the model now");
}

/// The revisions of what was found.
template <class Found>
std::vector<std::string> TakeRevisions(std::vector<Found>& all) {
  std::vector<std::string> revisions;
  revisions.reserve(all.size());
  for (Found& found : all) revisions.push_back(std::move(found.revision));
  return revisions;
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

std::string Damaged(std::string_view what) {
  return Cat("the model store is damaged: ", what);
}

RevisionSummary SummaryOf(const LoadedRevision& loaded) {
  RevisionSummary summary{.format = loaded.format, .problem = loaded.problem};
  if (loaded.model != nullptr) {
    summary.nq = loaded.model->nq();
    summary.nv = loaded.model->nv();
  }
  return summary;
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
      registered.changed};
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
  const std::string& prefix = reference.prefix;
  LoadedPointer loaded;
  if (prefix.size() == kFullSize) {
    auto found = LoadStored(prefix, admit);
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
    auto& revisions = std::get<std::vector<FoundRevision>>(found);
    if (revisions.empty()) return NotFound(reference);
    if (revisions.size() > 1)
      return Ambiguous(prefix, TakeRevisions(revisions));
    const FoundRevision& only = revisions.front();
    if (only.damage.empty()) {
      auto read = LoadStored(only.revision, admit);
      if (auto* error = std::get_if<RegistryError>(&read)) {
        return std::move(*error);
      }
      loaded = std::get<LoadedPointer>(std::move(read));
    } else {
      loaded = Broken(only.revision, Damaged(only.damage));
    }
  }
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
    if (!registration.damage.empty()) {
      LoadedPointer broken =
          Broken(registration.revision, Damaged(registration.damage));
      return ToEntry(std::move(registration), std::move(broken));
    }
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
  if (registration == nullptr || !*registration ||
      !(*registration)->damage.empty()) {
    return std::nullopt;
  }
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
    return Ambiguous(reference.prefix, TakeRevisions(registrations));
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
    std::string_view revision, const AdmitSource& admit) {
  Summaries corrections;
  auto loaded = LoadStored(revision, CacheUse::kNormal, &corrections, admit);
  // Where they cannot be written, the next who loads it tries again.
  if (!corrections.empty()) store_->WriteSummaries(corrections);
  return loaded;
}

OrRegistryError<std::shared_ptr<const LoadedRevision>> Registry::LoadStored(
    std::string_view revision, CacheUse use, Summaries* corrections,
    const AdmitSource& admit) {
  const auto find = [&] {
    return use == CacheUse::kScan ? cache_.Peek(revision)
                                  : cache_.Find(revision);
  };
  if (LoadedPointer cached = find()) return cached;
  const LoadingTurns::Turn turn(loading_, revision);
  const RevisionCache::Generation generation = cache_.generation();
  // Who had the turn before may have loaded it.
  if (LoadedPointer cached = find()) return cached;
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
  if (use == CacheUse::kScan) {
    cache_.InsertIfRoom(loaded, generation);
  } else {
    cache_.Insert(loaded, generation);
  }
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
    auto listed = Summarized(std::move(names), admit);
    if (auto* error = std::get_if<RegistryError>(&listed)) {
      return std::move(*error);
    }
    auto& models = std::get<std::vector<ListedModel>>(listed);
    std::move(models.begin(), models.end(), std::back_inserter(page.models));
    if (more && seen == size) page.next_page_token = EncodePageToken(after);
    if (!more || seen == size) return page;
  }
}

OrRegistryError<std::vector<ListedModel>> Registry::Summarized(
    std::vector<ListedName> names, const AdmitSource& admit) {
  std::vector<ListedModel> models;
  models.reserve(names.size());
  Summaries corrections;
  std::optional<RegistryError> problem;
  for (ListedName& name : names) {
    auto listed = Summarized(std::move(name), &corrections, admit);
    if (auto* error = std::get_if<RegistryError>(&listed)) {
      problem = std::move(*error);
      break;
    }
    auto& model = std::get<std::optional<ListedModel>>(listed);
    if (model) models.push_back(*std::move(model));
  }
  // Who tries again finds what was made before the problem.
  if (!corrections.empty()) store_->WriteSummaries(corrections);
  if (problem) return *std::move(problem);
  return models;
}

OrRegistryError<std::optional<ListedModel>> Registry::Summarized(
    ListedName listed, Summaries* corrections, const AdmitSource& admit) {
  ListedModel model{.name = std::move(listed.name),
                    .revision = std::move(listed.revision),
                    .registered_at = listed.registered_at,
                    .summary = {}};
  if (!listed.damage.empty()) {
    model.summary.problem = Damaged(listed.damage);
    return model;
  }
  if (listed.summary) {
    model.summary = *std::move(listed.summary);
    return model;
  }
  auto read = LoadStored(model.revision, CacheUse::kScan, corrections, admit);
  if (auto* error = std::get_if<RegistryError>(&read)) {
    return std::move(*error);
  }
  if (const auto& loaded = std::get<LoadedPointer>(read); loaded != nullptr) {
    model.summary = SummaryOf(*loaded);
    return model;
  }
  // Deleted since the names were read; perhaps registered anew.
  auto again =
      ResolveName({ModelReference::Kind::kCurrent, model.name, "", ""}, admit);
  if (auto* error = std::get_if<RegistryError>(&again)) {
    if (error->code == Code::kNotFound) return std::nullopt;
    return std::move(*error);
  }
  const auto& entry = std::get<ModelEntry>(again);
  model.revision = entry.loaded->revision;
  model.registered_at = entry.registered_at;
  model.summary = SummaryOf(*entry.loaded);
  return model;
}

std::optional<RegistryError> Registry::LoadCurrent(
    Models which, const std::function<void(const ListedModel&)>& found) {
  std::string after;
  for (;;) {
    auto read = store_->ListNames(after, kNamesAtOnce);
    if (const auto* error = std::get_if<StoreError>(&read)) {
      return FromStore(*error);
    }
    auto& names = std::get<std::vector<ListedName>>(read);
    if (names.empty()) return std::nullopt;
    after = names.back().name;
    // Forgotten here, a summary is made anew.
    for (ListedName& name : names) {
      if (which == Models::kAll) name.summary.reset();
    }
    auto listed = Summarized(std::move(names), {});
    if (auto* error = std::get_if<RegistryError>(&listed)) {
      return std::move(*error);
    }
    for (const ListedModel& model :
         std::get<std::vector<ListedModel>>(listed)) {
      if (found) found(model);
    }
  }
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
  const auto around = store_->NamesAround(name, kNamesLookedAt);
  const auto* known = std::get_if<std::vector<std::string>>(&around);
  if (known == nullptr) return error;
  error.message +=
      known->empty() ? "; none is registered yet"
                     : flags::NameHint(flags::NearNames(name, *known), *known);
  return error;
}

}  // namespace torqued::server
