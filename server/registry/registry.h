// The models that this server knows: names, revisions, loaded models.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/registry/lru_map.h"
#include "server/registry/model_store.h"
#include "server/registry/registry_error.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// The model of a reference.
struct ModelEntry : Registration {
  LoadedPointer loaded;  // never null
};

struct RegisterResult {
  ModelEntry entry;
  std::string before;  // what the name pointed at; empty: it is new
  bool changed() const { return before != entry.loaded->revision; }
};

/// Asked, if given, before a stored source of so many bytes is read and parsed.
/// False ends the call with kNotAdmitted.
using AdmitSource = std::function<bool(std::int64_t source_bytes)>;

using MayList = std::function<bool(std::string_view name)>;

struct ModelPage {
  std::vector<ListedModel> models;
  std::string next_page_token;  // empty: it is the last page
};

/// Thread-safe. The store is this registry's alone. A look-up takes no store
/// access for references that were looked up since the last change, and one
/// indexed read otherwise. A lookup after a change was acknowledged sees it.
/// After one lookup has seen a change, all later ones do. Models are cached by
/// revision, as many as fit; the least recently used goes first.
class Registry {
 public:
  /// Counted with each source: of a robot of one link most is not its source.
  static constexpr std::size_t kBytesOfRevision = 128;

  /// `cached_source_bytes`: of all cached models; one may exceed it.
  explicit Registry(std::unique_ptr<ModelStore> store,
                    std::size_t cached_source_bytes = 256u << 20)
      : store_(std::move(store)), revisions_(cached_source_bytes) {}

  OrRegistryError<RegisterResult> Register(RegisterRequest request);

  /// Calls in flight keep the model they resolved. A broken model is an entry
  /// whose `loaded->model` is null.
  OrRegistryError<ModelEntry> Resolve(std::string_view reference,
                                      const AdmitSource& admit = {});

  /// The result of Resolve, unless that is an error or takes parsing: an
  /// indexed read at most, for threads that must not be held up.
  std::optional<ModelEntry> ResolveLoaded(std::string_view reference);

  /// Byte order of the names that `may_list`, if given, is true for. page_size
  /// 0: 100; at most 1000. Reads the summaries of the revisions and loads only
  /// those that have no summary, until `cancelled`, if given, returns true,
  /// which is an error.
  OrRegistryError<ModelPage> List(std::uint32_t page_size,
                                  std::string_view page_token,
                                  const std::function<bool()>& cancelled = {},
                                  const AdmitSource& admit = {},
                                  const MayList& may_list = {});

  /// Returns what the name pointed at.
  OrRegistryError<std::string> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current);

  /// Registers every *.urdf of the directories (not of those below; no hidden
  /// files) under its file name without the extension, in byte order. If
  /// several directories have files of one name, only the first is read. A
  /// pointer moves only if the file's bytes or the validation changed since
  /// they were last loaded from there, so a registration or deletion by call is
  /// not undone at a restart. Returns one entry per file. A directory that
  /// cannot be read is an entry of its own, without a name.
  struct DirectoryEntry {
    std::string name = {};
    bool ok = false;
    bool changed = false;
    std::string message = {};  // one line for people, with the path
  };
  std::vector<DirectoryEntry> LoadDirectories(
      const std::vector<std::string>& directories,
      Validation validation = Validation::kDefault);

 private:
  /// `first`: the file that is read for the name.
  DirectoryEntry LoadFile(const std::string& path, const std::string& first,
                          Validation validation);
  // These throw RegistryError and StoreError.
  RegisterResult Store(RegisterRequest request);
  /// In the store; without a revision: nowhere.
  Registration LookUp(const ModelReference& reference);
  /// Null if the store has no such revision. Corrects its summary in the store.
  LoadedPointer Load(std::string_view revision, const AdmitSource& admit);
  /// The error for an unknown reference.
  RegistryError NotFound(const ModelReference& reference);

  /// Runs what changes the store, and returns what it does.
  template <class Change>
  auto WhileChanging(const Change& change) {
    ++begun_;
    const std::shared_ptr<void> end(nullptr, [this](void*) { ++ended_; });
    return change();
  }

  struct Known {
    Registration registration;
    std::uint64_t begun = 0;
  };
  std::unique_ptr<ModelStore> store_;
  // Changes of the store. A resolved reference is valid until the next write
  // begins, and is kept only if none ran when it was read.
  std::atomic<std::uint64_t> begun_ = 0, ended_ = 0;
  LruMap<Known> names_{8 << 20};  // 10,000 references with few labels
  LruMap<LoadedPointer> revisions_;
};

}  // namespace torqued::server
