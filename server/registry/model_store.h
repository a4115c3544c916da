// The embedded model store: names, labels and revisions in one SQLite file.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/registry/reference.h"
#include "server/registry/revision.h"
#include "server/registry/sqlite.h"

namespace torqued::server {

/// Stored with microsecond resolution.
using StoreTime = std::chrono::system_clock::time_point;

/// A revision that a name points at or has pointed at.
struct Registration {
  std::string name;  // empty for @revision, which several names may have had
  std::string revision;
  StoreTime registered_at;          // when the name was last pointed at it
  std::vector<std::string> labels;  // of this revision under this name, sorted
};

/// What a name points at, as it was when it was last loaded.
struct ListedModel {
  std::string name;
  std::string revision;
  StoreTime registered_at;
  RevisionSummary summary;  // its problem says why a model is broken
};

/// One registration as a whole. The views need live only during the call.
struct RegistrationChange {
  std::string_view name;
  std::string_view revision;
  std::string_view format;
  std::string_view source;
  std::string_view options;
  /// If known, replaces what is stored.
  RevisionSummary summary;
  /// If present, the name must point there; "" = must not exist.
  std::optional<std::string> expected_current;
  /// Empty: none. A label in use under this name moves.
  std::string_view label;
  /// If present, stored as the hash of the file last loaded for the name.
  std::optional<std::string_view> directory_hash;
  StoreTime now;
};

struct Registered {
  Registration registration;
  std::string before;  // what the name pointed at; empty: it is new
};

struct Deleted {
  std::string before;
  /// Revisions that no other name has had; gone with the name.
  std::vector<std::string> removed_revisions;
};

/// Thread-safe. Every call happens as a whole or not at all, and what a call
/// acknowledged survives a crash of the process and of the machine. Failures
/// throw StoreError.
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
  /// that was damaged in the store is replaced. Throws RegistryError, and
  /// changes nothing, where `expected_current` does not hold or a quota is
  /// reached.
  Registered Register(const RegistrationChange& change);

  /// Removes the name with its history and labels, and the revisions that no
  /// other name has had. The directory hash stays, so that an unchanged file
  /// does not bring the name back at the next start. Nothing: there is no such
  /// name. Throws RegistryError where `expected_current` does not hold.
  std::optional<Deleted> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current);

  /// What the reference may mean, up to `limit` registrations in byte order of
  /// their revisions.
  std::vector<Registration> Find(const ModelReference& reference,
                                 std::int64_t limit);

  /// Of a revision's source, which is not read; 0 if there is none.
  std::int64_t SourceBytes(std::string_view revision);

  std::optional<StoredRevision> ReadRevision(std::string_view revision);

  /// Of the names after `after`, in byte order.
  std::vector<ListedModel> ListNames(std::string_view after,
                                     std::int64_t limit);

  /// Names next to `name`, which need not exist: up to `limit` before it and as
  /// many from it on.
  std::vector<std::string> NamesAround(std::string_view name,
                                       std::int64_t limit);

  /// Replaces the summary of a revision that is still there. Does nothing while
  /// another write is under way, or on failure: it can be made again.
  void WriteSummary(std::string_view revision, const RevisionSummary& summary);

  /// Of the content last loaded for the name from a directory; empty if none.
  std::string FindDirectoryHash(std::string_view name);

 private:
  /// On a file for it alone, which holds the process id. Released when it goes
  /// or the process ends.
  struct Lock {
    explicit Lock(const std::string& path);
    ~Lock();
    int fd;
  };
  struct Connection {
    explicit Connection(const std::string& file)
        : sqlite(file, SqliteConnection::Mode::kReadWrite) {}

    std::mutex mutex;
    SqliteConnection sqlite;
  };

  ModelStore(const std::string& file, std::int64_t max_models);

  const Lock lock_;  // released last
  const std::int64_t max_models_;
  // A look-up waits neither for a registration that waits for the disk, nor for
  // a source that is read.
  Connection writer_, names_, sources_;
};

/// The schema of a store: application_id and user_version of its header. 0: an
/// empty file. Throws StoreError for a file that is none, or that this version
/// does not read.
std::int64_t ReadSchema(SqliteConnection& connection);

/// Configures the connection. Creates the tables in an empty file, or checks
/// that the file is whole and brings the tables of schema 3 to this version, in
/// one transaction. Throws StoreError, and leaves any other file byte for byte
/// as it is.
void PrepareSchema(SqliteConnection& connection);

/// Makes the name of a new file durable.
void SyncDirectory(const std::string& directory);

}  // namespace torqued::server
