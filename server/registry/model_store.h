// The embedded model store: names, labels and revisions in one SQLite file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/registry/reference.h"
#include "server/registry/revision.h"
#include "server/registry/sqlite.h"

namespace torqued::server {

/// Stored with microsecond resolution.
using StoreTime = std::chrono::system_clock::time_point;

/// A revision that a name points at or has pointed at.
struct Registration {
  std::string name = {};  // empty for @revision, which several may have had
  std::string revision = {};
  /// When the name was last pointed at it; zero for @revision.
  StoreTime registered_at = {};
  /// The labels of the revision under the name, sorted.
  std::vector<std::string> labels = {};
};

/// The summary of the revision of a name, without labels, from its last load.
struct ListedModel : Registration {
  RevisionSummary summary;  // its problem says why a model is broken
};

struct RegisterRequest {
  std::string name;
  std::string format = "urdf";
  std::string source;
  RegistrationOptions options;
  /// If present, the name must point there; "" = must not exist.
  std::optional<std::string> expected_current;
  std::string label;  // empty: none. One in use under this name moves.
  /// True ends the parsing with an error; nothing is stored then.
  std::function<bool()> cancelled;
  std::string file_hash;  // of the file that it is from; empty: of none
};

/// Thread-safe. A call happens as a whole or not at all; what it acknowledged
/// survives a crash, also of the machine. Failures throw StoreError.
class ModelStore {
 public:
  /// Labels of one name; a reply about a model lists them.
  static constexpr std::int64_t kMaxLabels = 1000;

  /// Opens the file, or creates it with the directories above it. A lock on
  /// `<path>.lock` keeps other servers out. Not for network file systems, which
  /// do not keep locks and shared memory as SQLite needs them. A store that
  /// holds more than `max_models` names is served; only new names are refused.
  explicit ModelStore(const std::string& path,
                      std::int64_t max_models = 10'000);

  /// Stores content that is not there yet, or is damaged, and points the name
  /// at it. Throws RegistryError, and changes nothing, if `expected_current` is
  /// another or a quota is reached. `before`: where it pointed; empty: nowhere.
  Registration Register(const RegisterRequest& request,
                        const LoadedRevision& loaded, std::string* before);

  /// Removes the name with its history and labels, and the revisions that no
  /// other name has had. The file's hash stays, so that an unchanged file does
  /// not bring the name back at the next start. Returns what the name pointed
  /// at; empty: there is no such name. Throws RegistryError where
  /// `expected_current` does not hold.
  std::string Delete(std::string_view name,
                     const std::optional<std::string>& expected_current);

  /// Revisions that the reference may mean, up to `limit`, in byte order of
  /// revisions.
  std::vector<Registration> Find(const ModelReference& reference,
                                 std::int64_t limit);

  /// The size of a revision's source, which is not read; 0 if it is unknown.
  std::int64_t SourceBytes(std::string_view revision);

  std::optional<StoredRevision> ReadRevision(std::string_view revision);

  /// The names after `after`, in byte order.
  std::vector<ListedModel> ListNames(std::string_view after,
                                     std::int64_t limit);

  /// Up to `limit` names before `name` in byte order and as many from it on.
  std::vector<std::string> NamesAround(std::string_view name,
                                       std::int64_t limit);

  /// Does nothing if the revision is gone, during another write, or on failure:
  /// a summary can be made again.
  void WriteSummary(std::string_view revision, const RevisionSummary& summary);

  /// The hash of the content last loaded for the name from a directory; empty
  /// without one.
  std::string FileHash(std::string_view name);

 private:
  /// On a file for it alone, which holds the process id.
  struct Lock {
    explicit Lock(const std::string& path);
    ~Lock();
    int fd;
  };

  const std::string file_;
  const Lock lock_;  // released last
  const std::int64_t max_models_;
  // A look-up waits neither for the disk nor for a source that is read.
  SqliteConnection writer_, names_, sources_;
};

/// 0: an empty file. Throws StoreError for a file that is not a store, or that
/// this version does not read.
std::int64_t ReadSchema(SqliteConnection& connection);

/// Configures the connection, checks that the file is whole and, in one
/// transaction, creates the tables or brings those of schema 3 to this version.
/// Throws StoreError, and leaves any other file byte for byte as it is.
void PrepareSchema(SqliteConnection& connection);

}  // namespace torqued::server
