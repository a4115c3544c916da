// The embedded model store: names, labels and revisions in one SQLite file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/registry/sqlite.h"
#include "server/registry/store_files.h"

namespace torqued::server {

/// Stored with microsecond resolution.
using StoreTime = std::chrono::time_point<std::chrono::system_clock,
                                          std::chrono::microseconds>;

template <class T>
using OrStoreError = std::variant<T, StoreError>;

/// What a revision was when it was last loaded, for lists.
struct RevisionSummary {
  std::string format;   // empty if the content is damaged
  std::int64_t nq = 0;  // sizes of q and v; 0 if it does not load
  std::int64_t nv = 0;
  std::string problem = {};  // why it does not load; empty: it does

  bool operator==(const RevisionSummary&) const = default;
};

/// Content under its hash; never altered once stored.
struct StoredRevision {
  std::string revision;
  std::string format;
  std::string source;
  std::string options;  // canonical text
  std::optional<RevisionSummary> summary;
};

/// A revision that a name points at or has pointed at.
struct Registration {
  std::string name;
  std::string revision;
  StoreTime registered_at;          // when the name was last pointed at it
  std::vector<std::string> labels;  // of this revision under this name, sorted
};

/// A current registration in a list.
struct ListedName {
  std::string name;
  std::string revision;
  StoreTime registered_at;
  std::optional<RevisionSummary> summary;
};

/// One registration as a whole. The views need live only during the call.
struct RegistrationChange {
  std::string_view name;
  std::string_view revision;
  std::string_view format;
  std::string_view source;
  std::string_view options;
  /// If present, replaces what is stored.
  std::optional<RevisionSummary> summary;
  /// If present, the name must point there; "" = must not exist.
  std::optional<std::string_view> expected_current;
  /// Empty: none. A label in use under this name moves.
  std::string_view label;
  /// If present, stored as the hash of the file last loaded for the name.
  std::optional<std::string_view> directory_hash;
  StoreTime now;
};

struct Registered {
  Registration registration;
  std::string before;  // what the name pointed at; empty: it is new
  bool changed() const { return before != registration.revision; }
};

struct Deleted {
  std::string before;
  /// Revisions that no other name has had; gone with the name.
  std::vector<std::string> removed_revisions;
};

/// `expected_current` did not hold; nothing was changed.
struct RevisionConflict {
  std::string current;  // empty: the name does not exist
};

struct NameNotFound {};

/// A registration would exceed a quota; nothing was changed.
struct QuotaReached {
  enum class Of : std::uint8_t { kModels, kLabels };
  Of of = Of::kModels;
  std::int64_t limit = 0;
};

using RegistrationOutcome =
    std::variant<Registered, RevisionConflict, QuotaReached, StoreError>;

/// Thread-safe. Every call happens as a whole or not at all, and what a call
/// acknowledged survives a crash of the process and of the machine. Absence is
/// a value, not an error.
class ModelStore {
 public:
  /// Labels of one name; a reply about a model lists them.
  static constexpr std::int64_t kMaxLabels = 1000;

  /// Opens the file, or creates it with the directories above it. A lock on
  /// `<path>.lock` keeps other servers out. Not for network file systems, which
  /// do not keep locks and shared memory as SQLite needs them. The string says
  /// why the store cannot be used; a file that is damaged, of another program
  /// or of a newer version is left as it is. A store that holds more than
  /// `max_models` names is served; only new names are refused.
  static std::variant<std::unique_ptr<ModelStore>, std::string> Open(
      const std::string& path, std::int64_t max_models = 10'000);

  /// Stores content that is not there yet and points the name at it. Content
  /// that was damaged in the store is replaced.
  RegistrationOutcome Register(const RegistrationChange& change);

  /// Removes the name with its history and labels, and the revisions that no
  /// other name has had. The directory hash stays, so that an unchanged file
  /// does not bring the name back at the next start.
  std::variant<Deleted, NameNotFound, RevisionConflict, StoreError> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current);

  /// What the name points at.
  OrStoreError<std::optional<Registration>> FindCurrent(std::string_view name);

  OrStoreError<std::optional<Registration>> FindLabel(std::string_view name,
                                                      std::string_view label);

  /// Revisions that the name has had and that start with the prefix, in byte
  /// order.
  OrStoreError<std::vector<Registration>> FindInHistory(std::string_view name,
                                                        std::string_view prefix,
                                                        std::size_t limit);

  /// All revisions that start with the prefix, in byte order.
  OrStoreError<std::vector<std::string>> FindRevisions(std::string_view prefix,
                                                       std::size_t limit);

  /// Of a revision's source, which is not read.
  OrStoreError<std::optional<std::int64_t>> SourceBytes(
      std::string_view revision);

  OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision);

  /// Current registrations of the names after `after`, in byte order of names.
  OrStoreError<std::vector<ListedName>> ListNames(std::string_view after,
                                                  std::size_t limit);

  /// Names next to `name`, which need not exist: up to `limit / 2` before it
  /// and as many from it on.
  OrStoreError<std::vector<std::string>> NamesAround(std::string_view name,
                                                     std::size_t limit);

  /// Replaces the summary of a revision that is still there. Does nothing while
  /// another write is under way: a summary can be made again.
  void WriteSummary(std::string_view revision, const RevisionSummary& summary);

  /// Hash of the content last loaded for the name from a directory.
  OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name);

 private:
  struct Connection {
    std::mutex mutex;
    std::unique_ptr<SqliteConnection> sqlite;
  };

  ModelStore(std::unique_ptr<FileLock> lock, std::int64_t max_models)
      : lock_(std::move(lock)), max_models_(max_models) {}

  std::unique_ptr<FileLock> lock_;  // released last
  const std::int64_t max_models_;
  // A look-up waits neither for a registration that waits for the disk, nor for
  // a source that is read.
  Connection writer_, names_, sources_;
};

}  // namespace torqued::server
