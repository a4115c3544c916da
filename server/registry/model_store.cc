#include "server/registry/model_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/model/text.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

// `h` is a row of history.
constexpr std::string_view kSelectRegistration =
    "SELECT h.name, h.revision, h.registered_at,"
    " (SELECT group_concat(l.label, ' ') FROM labels AS l"
    "  WHERE l.name = h.name AND l.revision = h.revision)"
    " FROM history AS h ";

// The revision is the hash of all three, which the caller has just computed: a
// row that differs is damaged.
constexpr std::string_view kInsertRevision =
    "INSERT INTO revisions (revision, format, options, source, created_at)"
    " VALUES (?1, ?2, ?3, CAST(?4 AS BLOB), ?5)"
    " ON CONFLICT (revision) DO UPDATE SET"
    "  format = excluded.format, options = excluded.options,"
    "  source = excluded.source"
    " WHERE (format, options, source) IS NOT"
    "  (excluded.format, excluded.options, excluded.source)";

constexpr std::string_view kInsertHistory =
    "INSERT INTO history (name, revision, registered_at) VALUES (?1, ?2, ?3)"
    " ON CONFLICT (name, revision) DO UPDATE SET"
    "  registered_at = excluded.registered_at";

constexpr std::string_view kMoveName =
    "INSERT INTO names (name, revision) VALUES (?1, ?2)"
    " ON CONFLICT (name) DO UPDATE SET revision = excluded.revision";

constexpr std::string_view kMoveLabel =
    "INSERT INTO labels (name, label, revision) VALUES (?1, ?2, ?3)"
    " ON CONFLICT (name, label) DO UPDATE SET revision = excluded.revision"
    " WHERE revision <> excluded.revision";

constexpr std::string_view kSetDirectoryHash =
    "INSERT INTO directory_files (name, content_hash) VALUES (?1, ?2)"
    " ON CONFLICT (name) DO UPDATE SET content_hash = excluded.content_hash"
    " WHERE content_hash <> excluded.content_hash";

constexpr std::string_view kWriteSummary =
    "INSERT INTO summaries (revision, format, nq, nv, problem)"
    " SELECT ?1, ?2, ?3, ?4, ?5"
    " WHERE EXISTS (SELECT 1 FROM revisions WHERE revision = ?1)"
    " ON CONFLICT (revision) DO UPDATE SET format = excluded.format,"
    "  nq = excluded.nq, nv = excluded.nv, problem = excluded.problem"
    " WHERE (format, nq, nv, problem) IS NOT"
    "  (excluded.format, excluded.nq, excluded.nv, excluded.problem)";

constexpr std::string_view kRemoveRevisions =
    "DELETE FROM revisions"
    " WHERE revision IN (SELECT revision FROM history WHERE name = ?1)"
    " AND NOT EXISTS (SELECT 1 FROM history AS h"
    "  WHERE h.revision = revisions.revision AND h.name <> ?1)"
    " RETURNING revision";

// Least text after all that start with a prefix of hex digits.
std::string AfterPrefix(const std::string& prefix) { return prefix + 'g'; }

StoreTime ReadTime(const SqliteRun& row, int column) {
  return StoreTime(microseconds(row.Integer(column)));
}

Registration ReadRegistration(const SqliteRun& row) {
  Registration read{.name = row.Text(0),
                    .revision = row.Text(1),
                    .registered_at = ReadTime(row, 2),
                    .labels = {}};
  // Labels hold no spaces.
  std::istringstream labels(row.Text(3));
  for (std::string label; labels >> label;) read.labels.push_back(label);
  std::sort(read.labels.begin(), read.labels.end());
  return read;
}

RevisionSummary ReadSummary(const SqliteRun& row, int first) {
  return {.format = row.Text(first),
          .nq = row.Integer(first + 1),
          .nv = row.Integer(first + 2),
          .problem = row.Text(first + 3)};
}

std::string FirstText(const SqliteRun& row) { return row.Text(0); }

std::string CurrentRevision(SqliteConnection& sqlite, std::string_view name) {
  return sqlite.Text("SELECT revision FROM names WHERE name = ?1", name);
}

/// Throws unless `expected`, if present, is `current`. Empty: no model.
void Expect(std::string_view name, const std::optional<std::string>& expected,
            const std::string& current) {
  if (!expected || *expected == current) return;
  std::string message = "model " + Quoted(name);
  if (current.empty()) {
    message += " does not exist, expected_current is " + Quoted(*expected);
  } else if (expected->empty()) {
    message += " exists already, at revision " + current;
  } else {
    message += " is at revision " + current + ", expected_current is " +
               Quoted(*expected);
  }
  RegistryError error{.code = RegistryError::Code::kConflict,
                      .message = std::move(message),
                      .field = "expected_current"};
  if (!current.empty()) error.candidates.push_back(current);
  throw error;
}

/// Throws if there are as many as may be.
void ExpectRoom(std::int64_t there, std::int64_t limit, std::string_view what,
                std::string_view setting) {
  if (there < limit) return;
  throw RegistryError{
      .code = RegistryError::Code::kQuota,
      .message = Cat("the model store is full: it takes at most ",
                     std::to_string(limit), what,
                     "; delete models that are not needed"),
      .limit = limit,
      .setting = setting};
}

void Summarize(SqliteConnection& sqlite, std::string_view revision,
               const RevisionSummary& summary) {
  sqlite.Run(kWriteSummary, revision, summary.format, summary.nq, summary.nv,
             summary.problem);
}

/// Makes the folders above; the path is one for one file, also through symbolic
/// links.
std::string FileOfStore(const std::string& path) {
  // SQLite takes such names for databases in memory and for URIs.
  if (path.empty() || path.starts_with(':') || path.starts_with("file:")) {
    throw StoreError{.message = "not the path of a file"};
  }
  const fs::path file = fs::absolute(path), folder = file.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw StoreError{.message = "cannot create " + folder.string() + ": " +
                                error.message()};
  }
  if (fs::is_directory(file)) {
    throw StoreError{.message = "the path is a directory"};
  }
  return fs::weakly_canonical(file).string();
}

}  // namespace

ModelStore::Lock::Lock(const std::string& path)
    : fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    std::string pid;
    std::ifstream(path) >> pid;
    throw StoreError{.message =
                         error == EWOULDBLOCK
                             ? "the file is in use by another torqued (pid " +
                                   pid + ")"
                             : "cannot lock " + path + ": " +
                                   std::generic_category().message(error)};
  }
  // For the message of the next one; the lock holds without it.
  std::ofstream(path) << getpid() << '\n';
}

ModelStore::Lock::~Lock() { close(fd); }

void SyncDirectory(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

std::variant<std::unique_ptr<ModelStore>, std::string> ModelStore::Open(
    const std::string& path, std::int64_t max_models) {
  const auto failed = [&path](const std::string& why) {
    return "model database " + path + ": " + why;
  };
  try {
    return std::unique_ptr<ModelStore>(
        new ModelStore(FileOfStore(path), max_models));
  } catch (const StoreError& error) {
    return failed(error.message);
  } catch (const fs::filesystem_error& error) {
    return failed(error.code().message());
  }
}

ModelStore::ModelStore(const std::string& file, std::int64_t max_models)
    : lock_(file + ".lock"),
      max_models_(max_models),
      writer_(file),
      names_(file),
      sources_(file) {
  PrepareSchema(writer_.sqlite);
  SyncDirectory(fs::path(file).parent_path());
}

Registered ModelStore::Register(const RegistrationChange& change) {
  const std::lock_guard lock(writer_.mutex);
  SqliteConnection& sqlite = writer_.sqlite;
  SqliteTransaction transaction(sqlite);
  const std::string before = CurrentRevision(sqlite, change.name);
  Expect(change.name, change.expected_current, before);
  if (before.empty()) {
    ExpectRoom(sqlite.Integer("SELECT count(*) FROM names"), max_models_,
               " models (max-models)", "max-models");
  }
  if (!change.label.empty()) {
    ExpectRoom(sqlite.Integer("SELECT count(*) FROM labels"
                              " WHERE name = ?1 AND label <> ?2",
                              change.name, change.label),
               kMaxLabels, " labels of a model", "");
  }
  const std::int64_t now =
      std::chrono::duration_cast<microseconds>(change.now.time_since_epoch())
          .count();
  sqlite.Run(kInsertRevision, change.revision, change.format, change.options,
             change.source, now);
  if (change.summary != RevisionSummary()) {
    Summarize(sqlite, change.revision, change.summary);
  }
  if (before != change.revision) {
    sqlite.Run(kInsertHistory, change.name, change.revision, now);
    sqlite.Run(kMoveName, change.name, change.revision);
  }
  if (!change.label.empty()) {
    sqlite.Run(kMoveLabel, change.name, change.label, change.revision);
  }
  if (change.directory_hash) {
    sqlite.Run(kSetDirectoryHash, change.name, *change.directory_hash);
  }
  auto after = sqlite.All(
      ReadRegistration,
      Cat(kSelectRegistration, "WHERE h.name = ?1 AND h.revision = ?2"),
      change.name, change.revision);
  transaction.Commit();
  return {std::move(after.at(0)), before};
}

std::optional<Deleted> ModelStore::Delete(
    std::string_view name, const std::optional<std::string>& expected_current) {
  const std::lock_guard lock(writer_.mutex);
  SqliteConnection& sqlite = writer_.sqlite;
  SqliteTransaction transaction(sqlite);
  Deleted deleted{.before = CurrentRevision(sqlite, name),
                  .removed_revisions = {}};
  if (deleted.before.empty()) return std::nullopt;
  Expect(name, expected_current, deleted.before);
  // Revisions go before the history that refers to them and tells which go.
  sqlite.Execute("PRAGMA defer_foreign_keys = ON");
  deleted.removed_revisions = sqlite.All(FirstText, kRemoveRevisions, name);
  for (const char* table : {"labels", "names", "history"}) {
    sqlite.Run(Cat("DELETE FROM ", table, " WHERE name = ?1"), name);
  }
  transaction.Commit();
  return deleted;
}

std::vector<Registration> ModelStore::Find(const ModelReference& reference,
                                           std::int64_t limit) {
  const auto& [name, prefix, label] = reference;
  const std::lock_guard lock(names_.mutex);
  SqliteConnection& sqlite = names_.sqlite;
  if (name.empty()) {
    return sqlite.All(ReadRegistration,
                      "SELECT NULL, revision, NULL, NULL FROM revisions"
                      " WHERE revision >= ?1 AND revision < ?2"
                      " ORDER BY revision LIMIT ?3",
                      prefix, AfterPrefix(prefix), limit);
  }
  if (!prefix.empty()) {
    return sqlite.All(
        ReadRegistration,
        Cat(kSelectRegistration,
            "WHERE h.name = ?1 AND h.revision >= ?2 AND h.revision < ?3"
            " ORDER BY h.revision LIMIT ?4"),
        name, prefix, AfterPrefix(prefix), limit);
  }
  if (!label.empty()) {
    return sqlite.All(ReadRegistration,
                      Cat(kSelectRegistration,
                          "JOIN labels AS x USING (name, revision)"
                          " WHERE x.name = ?1 AND x.label = ?2"),
                      name, label);
  }
  return sqlite.All(ReadRegistration,
                    Cat(kSelectRegistration,
                        "JOIN names AS n USING (name, revision)"
                        " WHERE n.name = ?1"),
                    name);
}

std::int64_t ModelStore::SourceBytes(std::string_view revision) {
  const std::lock_guard lock(sources_.mutex);
  return sources_.sqlite.Integer(
      "SELECT length(source) FROM revisions WHERE revision = ?1", revision);
}

std::optional<StoredRevision> ModelStore::ReadRevision(
    std::string_view revision) {
  std::optional<StoredRevision> stored;
  const std::lock_guard lock(sources_.mutex);
  sources_.sqlite.ForEach(
      [&stored](const SqliteRun& row) {
        stored = StoredRevision{.revision = row.Text(0),
                                .format = row.Text(1),
                                .source = row.Text(2),
                                .options = row.Text(3),
                                .summary = ReadSummary(row, 4)};
      },
      "SELECT r.revision, r.format, r.source, r.options,"
      " s.format, s.nq, s.nv, s.problem"
      " FROM revisions AS r LEFT JOIN summaries AS s USING (revision)"
      " WHERE r.revision = ?1",
      revision);
  return stored;
}

std::vector<ListedModel> ModelStore::ListNames(std::string_view after,
                                               std::int64_t limit) {
  const std::lock_guard lock(names_.mutex);
  return names_.sqlite.All(
      [](const SqliteRun& row) {
        return ListedModel{.name = row.Text(0),
                           .revision = row.Text(1),
                           .registered_at = ReadTime(row, 2),
                           .summary = ReadSummary(row, 3)};
      },
      "SELECT n.name, n.revision, h.registered_at,"
      " s.format, s.nq, s.nv, s.problem"
      " FROM names AS n JOIN history AS h USING (name, revision)"
      " LEFT JOIN summaries AS s ON s.revision = n.revision"
      " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2",
      after, limit);
}

std::vector<std::string> ModelStore::NamesAround(std::string_view name,
                                                 std::int64_t limit) {
  const std::lock_guard lock(names_.mutex);
  return names_.sqlite.All(
      FirstText,
      "SELECT name FROM"
      " (SELECT name FROM names WHERE name < ?1 ORDER BY name DESC LIMIT ?2)"
      " UNION ALL SELECT name FROM"
      " (SELECT name FROM names WHERE name >= ?1 ORDER BY name LIMIT ?2)"
      " ORDER BY 1",
      name, limit);
}

void ModelStore::WriteSummary(std::string_view revision,
                              const RevisionSummary& summary) {
  const std::unique_lock lock(writer_.mutex, std::try_to_lock);
  if (!lock) return;
  Answer([&] {
    Summarize(writer_.sqlite, revision, summary);
    return true;
  });
}

std::string ModelStore::FindDirectoryHash(std::string_view name) {
  const std::lock_guard lock(names_.mutex);
  return names_.sqlite.Text(
      "SELECT content_hash FROM directory_files WHERE name = ?1", name);
}

}  // namespace torqued::server
