#include "server/registry/registry.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/text.h"
#include "core/formats/urdf.h"
#include "server/flags/near_names.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;

constexpr std::size_t kMostCandidates = 10;

/// Throws.
void CheckRequest(const RegisterRequest& request) {
  const std::string &name = request.name, &label = request.label;
  // These are folders where a name becomes part of a path. What an older
  // version stored under them is found and deleted all the same.
  Require(IsValidModelName(name) && name != "." && name != "..",
          Code::kInvalidName,
          Cat("model name ", Quoted(name),
              ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and neither . nor .."),
          "name");
  Require(label.empty() || IsValidLabel(label), Code::kInvalidName,
          Cat("label ", Quoted(label),
              ": a label is 1 to 128 of A-Z a-z 0-9 . _ - and not 8 or more "
              "hex digits"),
          "label");
  const std::size_t bytes = request.source.size();
  const std::size_t limit = UrdfLimits{}.source_bytes;
  Require(bytes <= limit, Code::kTooLarge,
          Cat("the source has ", std::to_string(bytes), " bytes, at most ",
              std::to_string(limit), " are accepted"),
          "source");
}

}  // namespace

OrRegistryError<RegisterResult> Registry::Register(RegisterRequest request) {
  return Answer([&] { return Store(std::move(request)); });
}

RegisterResult Registry::Store(RegisterRequest request) {
  CheckRequest(request);
  LoadedPointer loaded = revisions_.Find(
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
  Registration registered = WhileChanging(
      [&] { return store_->Register(request, *loaded, &before); });
  revisions_.Insert(loaded->revision, loaded,
                    loaded->source.size() + kBytesOfRevision);
  return {{std::move(registered), std::move(loaded)}, before};
}

OrRegistryError<ModelEntry> Registry::Resolve(std::string_view reference,
                                              const AdmitSource& admit) {
  return Answer([&] {
    const ModelReference wanted = ParseModelReference(reference);
    Registration found = LookUp(wanted);
    LoadedPointer loaded;
    if (!found.revision.empty()) loaded = Load(found.revision, admit);
    // Null also if it was deleted between the two reads.
    if (loaded == nullptr) throw NotFound(wanted);
    return ModelEntry{std::move(found), std::move(loaded)};
  });
}

std::optional<ModelEntry> Registry::ResolveLoaded(std::string_view reference) {
  const std::uint64_t ended = ended_;  // before `begun`, which is not less
  const std::uint64_t begun = begun_;
  Known known = names_.Find(reference);
  Registration& found = known.registration;
  if (found.revision.empty() || known.begun != begun) {
    auto read = Answer([&] { return LookUp(ParseModelReference(reference)); });
    auto* there = std::get_if<Registration>(&read);
    if (there == nullptr || there->revision.empty()) return std::nullopt;
    found = std::move(*there);
    // A label is at most 128 characters.
    const std::size_t bytes =
        512 + 2 * reference.size() + 160 * found.labels.size();
    if (ended == begun) names_.Insert(reference, {found, begun}, bytes);
  }
  LoadedPointer loaded = revisions_.Find(found.revision);
  if (loaded == nullptr) return std::nullopt;
  return ModelEntry{std::move(found), std::move(loaded)};
}

Registration Registry::LookUp(const ModelReference& reference) {
  auto found = store_->Find(reference, kMostCandidates + 1);
  if (found.size() > 1) {
    const bool more = found.size() > kMostCandidates;
    if (more) found.pop_back();
    RegistryError error{
        .code = Code::kAmbiguous,
        .message = Cat("revision prefix ", reference.prefix, " fits ",
                       more ? "more than " : "", std::to_string(found.size()),
                       " revisions:")};
    for (Registration& one : found) {
      error.message += ' ' + one.revision;
      error.candidates.push_back(std::move(one.revision));
    }
    throw error;
  }
  return found.empty() ? Registration() : std::move(found.front());
}

RegistryError Registry::NotFound(const ModelReference& reference) {
  const auto& [name, prefix, label] = reference;
  RegistryError error{.code = Code::kNotFound};
  if (name.empty()) {
    error.message = "no model has a revision that starts with " + prefix;
  } else if (!(prefix + label).empty() &&
             !store_->Find({.name = name}, 1).empty()) {
    error.message =
        "model " + Quoted(name) +
        (prefix.empty() ? " has no label " + Quoted(label)
                        : " has had no revision that starts with " + prefix);
  } else {
    const auto known = store_->NamesAround(name, 64);
    error.message = "no model is named " + Quoted(name);
    error.hint = known.empty()
                     ? "; none is registered yet"
                     : flags::NameHint(flags::NearNames(name, known), known);
  }
  return error;
}

LoadedPointer Registry::Load(std::string_view revision,
                             const AdmitSource& admit) {
  if (LoadedPointer cached = revisions_.Find(revision)) return cached;
  std::optional<StoredRevision> stored;
  try {
    Require(!admit || admit(store_->SourceBytes(revision)), Code::kNotAdmitted,
            "there is no memory to load the model now");
    stored = store_->ReadRevision(revision);
  } catch (const StoreError& error) {
    if (!error.damaged) throw;
    // Damage to one model leaves the others usable.
    stored = StoredRevision{.revision = std::string(revision)};
  }
  if (!stored) return nullptr;
  LoadedPointer loaded = LoadFromStore(*std::move(stored));
  store_->WriteSummary(revision, loaded->Summary());
  revisions_.Insert(loaded->revision, loaded,
                    loaded->source.size() + kBytesOfRevision);
  return loaded;
}

OrRegistryError<ModelPage> Registry::List(
    std::uint32_t page_size, std::string_view page_token,
    const std::function<bool()>& cancelled, const AdmitSource& admit,
    const MayList& may_list) {
  return Answer([&] {
    // The last name of the page before, so that names that come or go between
    // two pages neither repeat nor hide others.
    Require(page_token.empty() || IsValidModelName(page_token),
            Code::kInvalidReference,
            Cat("page token ", Quoted(page_token), " is not from a listing"),
            "page_token");
    const std::size_t size = page_size == 0 ? 100 : std::min(page_size, 1000u);
    ModelPage page;
    // One more tells whether there is more.
    const std::size_t at_once = may_list ? 1001 : size + 1;
    std::vector<ListedModel> listed, read(at_once);
    for (std::string after(page_token);
         listed.size() <= size && read.size() == at_once;) {
      read = store_->ListNames(after, static_cast<std::int64_t>(at_once));
      for (ListedModel& model : read) {
        after = model.name;
        if (!may_list || may_list(after)) listed.push_back(std::move(model));
      }
    }
    if (listed.size() > size) {
      listed.resize(size);
      page.next_page_token = listed.back().name;
    }
    for (ListedModel& model : listed) {
      if (model.summary == RevisionSummary()) {
        Require(!cancelled || !cancelled(), Code::kStoreUnavailable,
                "the listing was cancelled");
        const LoadedPointer loaded = Load(model.revision, admit);
        if (loaded == nullptr) continue;  // deleted since the names were read
        model.summary = loaded->Summary();
      }
      page.models.push_back(std::move(model));
    }
    return page;
  });
}

OrRegistryError<std::string> Registry::Delete(
    std::string_view name, const std::optional<std::string>& expected_current) {
  return Answer([&] {
    Require(IsValidModelName(name), Code::kInvalidName,
            Cat("model name ", Quoted(name),
                ": a name is 1 to 128 of A-Z a-z 0-9 . _ - and has no @ here"),
            "name");
    std::string before =
        WhileChanging([&] { return store_->Delete(name, expected_current); });
    if (before.empty()) throw NotFound({.name = std::string(name)});
    return before;
  });
}

}  // namespace torqued::server
