#include "server/registry/model_store.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/model/text.h"
#include "server/registry/store_schema.h"

namespace torqued::server {
namespace {

// `h` is a row of history.
constexpr std::string_view kSelectRegistration =
    "SELECT h.name, h.revision, h.registered_at,"
    " (SELECT group_concat(l.label, ' ') FROM labels AS l"
    "  WHERE l.name = h.name AND l.revision = h.revision)"
    " FROM history AS h ";

constexpr std::string_view kInsertRevision =
    // The revision is the hash of all three, which the caller has just
    // computed: a row that differs is damaged.
    "INSERT INTO revisions (revision, format, options, source, created_at)"
    " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (revision) DO UPDATE SET"
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

// Least text after all that start with a prefix of hex digits.
std::string AfterPrefix(std::string_view prefix) {
  return std::string(prefix) + 'g';
}

std::int64_t ToInteger(std::size_t limit) {
  return static_cast<std::int64_t>(limit);
}

StoreTime ToTime(std::int64_t microseconds) {
  return StoreTime(std::chrono::microseconds(microseconds));
}

// Labels hold no spaces.
std::vector<std::string> SplitLabels(std::string_view joined) {
  std::vector<std::string> labels;
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(' '), joined.size());
    labels.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

Registration ReadRegistration(const SqliteRows& row) {
  return {.name = row.Text(0),
          .revision = row.Text(1),
          .registered_at = ToTime(row.Integer(2)),
          .labels = SplitLabels(row.Text(3))};
}

/// Of the columns from `first`: whether there is one, and its members.
std::optional<RevisionSummary> ReadSummary(const SqliteRows& row, int first) {
  if (row.Integer(first) == 0) return std::nullopt;
  return RevisionSummary{.format = row.Text(first + 1),
                         .nq = row.Integer(first + 2),
                         .nv = row.Integer(first + 3),
                         .problem = row.Text(first + 4)};
}

ListedName ReadListedName(const SqliteRows& row) {
  return {.name = row.Text(0),
          .revision = row.Text(1),
          .registered_at = ToTime(row.Integer(2)),
          .summary = ReadSummary(row, 3)};
}

StoredRevision ReadStored(const SqliteRows& row) {
  return {.revision = row.Text(0),
          .format = row.Text(1),
          .source = row.Blob(2),
          .options = row.Text(3),
          .summary = ReadSummary(row, 4)};
}

std::string FirstText(const SqliteRows& row) { return row.Text(0); }

std::int64_t FirstInteger(const SqliteRows& row) { return row.Integer(0); }

template <class... Values>
bool Run(SqliteConnection& sqlite, std::string_view sql,
         const Values&... values) {
  return SqliteRows(sqlite, sql, values...).Finish();
}

template <class Read, class... Values>
auto All(SqliteConnection& sqlite, Read read, std::string_view sql,
         const Values&... values)
    -> OrStoreError<std::vector<decltype(read(std::declval<SqliteRows&>()))>> {
  std::vector<decltype(read(std::declval<SqliteRows&>()))> found;
  SqliteRows rows(sqlite, sql, values...);
  while (rows.Next()) found.push_back(read(rows));
  if (!rows.ok()) return sqlite.error();
  return found;
}

/// The first row, if there is one.
template <class Read, class... Values>
auto One(SqliteConnection& sqlite, Read read, std::string_view sql,
         const Values&... values)
    -> OrStoreError<
        std::optional<decltype(read(std::declval<SqliteRows&>()))>> {
  std::optional<decltype(read(std::declval<SqliteRows&>()))> found;
  SqliteRows rows(sqlite, sql, values...);
  if (rows.Next()) found = read(rows);
  if (!rows.ok()) return sqlite.error();
  return found;
}

OrStoreError<std::optional<Registration>> Current(SqliteConnection& sqlite,
                                                  std::string_view name) {
  static const std::string sql =
      Cat(kSelectRegistration,
          "JOIN names AS n USING (name, revision) WHERE n.name = ?1");
  return One(sqlite, ReadRegistration, sql, name);
}

/// Empty: the name does not exist. Nothing on failure.
std::optional<std::string> CurrentRevision(SqliteConnection& sqlite,
                                           std::string_view name) {
  SqliteRows rows(sqlite, "SELECT revision FROM names WHERE name = ?1", name);
  std::string revision;
  if (rows.Next()) revision = rows.Text(0);
  if (!rows.ok()) return std::nullopt;
  return revision;
}

/// -1 on failure.
template <class... Values>
std::int64_t Count(SqliteConnection& sqlite, std::string_view sql,
                   const Values&... values) {
  SqliteRows rows(sqlite, sql, values...);
  return rows.Next() ? rows.Integer(0) : -1;
}

bool Summarize(SqliteConnection& sqlite, std::string_view revision,
               const RevisionSummary& summary) {
  return Run(sqlite, kWriteSummary, revision, summary.format, summary.nq,
             summary.nv, summary.problem);
}

/// The rows of a registration; `moves`: the name points elsewhere or is new.
bool Write(SqliteConnection& sqlite, const RegistrationChange& change,
           bool moves) {
  const std::int64_t now = change.now.time_since_epoch().count();
  return Run(sqlite, kInsertRevision, change.revision, change.format,
             change.options, SqliteBlob{change.source}, now) &&
         (!change.summary ||
          Summarize(sqlite, change.revision, *change.summary)) &&
         (!moves ||
          (Run(sqlite, kInsertHistory, change.name, change.revision, now) &&
           Run(sqlite, kMoveName, change.name, change.revision))) &&
         (change.label.empty() || Run(sqlite, kMoveLabel, change.name,
                                      change.label, change.revision)) &&
         (!change.directory_hash ||
          Run(sqlite, kSetDirectoryHash, change.name, *change.directory_hash));
}

}  // namespace

std::variant<std::unique_ptr<ModelStore>, std::string> ModelStore::Open(
    const std::string& path, std::int64_t max_models) {
  namespace fs = std::filesystem;
  const auto failed = [&path](const std::string& why) {
    return "model database " + path + ": " + why;
  };
  if (!IsPathOfStore(path)) return failed("not the path of a file");
  std::error_code error;
  fs::path file = fs::absolute(path, error);
  if (error) return failed(error.message());
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return failed("cannot create " + file.parent_path().string() + ": " +
                  error.message());
  }
  // One lock for one file, also through symbolic links.
  file = fs::weakly_canonical(file, error);
  if (error) return failed(error.message());
  if (fs::is_directory(file, error)) return failed("the path is a directory");

  auto locked = FileLock::Acquire(file.string() + ".lock");
  if (const auto* held = std::get_if<FileLock::Held>(&locked)) {
    return failed("the file is in use by another torqued" +
                  (held->pid.empty() ? "" : " (pid " + held->pid + ")"));
  }
  if (const auto* why = std::get_if<std::string>(&locked)) return failed(*why);

  std::unique_ptr<ModelStore> store(new ModelStore(
      std::get<std::unique_ptr<FileLock>>(std::move(locked)), max_models));
  for (Connection* connection :
       {&store->writer_, &store->names_, &store->sources_}) {
    auto opened = SqliteConnection::Open(file.string(),
                                         SqliteConnection::Mode::kReadWrite);
    if (const auto* why = std::get_if<std::string>(&opened)) {
      return failed(*why);
    }
    connection->sqlite =
        std::get<std::unique_ptr<SqliteConnection>>(std::move(opened));
    const bool writes = connection == &store->writer_;
    if (writes) {
      if (const auto why = PrepareSchema(*connection->sqlite)) {
        return failed(*why);
      }
      SyncDirectory(file.parent_path());
    } else if (!connection->sqlite->Configure() ||
               !connection->sqlite->Execute("PRAGMA query_only = ON")) {
      return failed(connection->sqlite->error().message);
    }
  }
  return store;
}

RegistrationOutcome ModelStore::Register(const RegistrationChange& change) {
  const std::lock_guard lock(writer_.mutex);
  SqliteConnection& sqlite = *writer_.sqlite;
  SqliteTransaction transaction(sqlite);
  if (!transaction.open()) return sqlite.error();
  const auto before = CurrentRevision(sqlite, change.name);
  if (!before) return sqlite.error();
  if (change.expected_current && *change.expected_current != *before) {
    return RevisionConflict{*before};
  }
  if (before->empty()) {
    const std::int64_t models = Count(sqlite, "SELECT count(*) FROM names");
    if (models < 0) return sqlite.error();
    if (models >= max_models_) {
      return QuotaReached{QuotaReached::Of::kModels, max_models_};
    }
  }
  if (!change.label.empty()) {
    const std::int64_t others = Count(
        sqlite, "SELECT count(*) FROM labels WHERE name = ?1 AND label <> ?2",
        change.name, change.label);
    if (others < 0) return sqlite.error();
    if (others >= kMaxLabels) {
      return QuotaReached{QuotaReached::Of::kLabels, kMaxLabels};
    }
  }
  if (!Write(sqlite, change, *before != change.revision)) return sqlite.error();
  auto after = Current(sqlite, change.name);
  auto* found = std::get_if<std::optional<Registration>>(&after);
  if (found == nullptr || !*found || !transaction.Commit()) {
    return sqlite.error();
  }
  return Registered{std::move(**found), *before};
}

std::variant<Deleted, NameNotFound, RevisionConflict, StoreError>
ModelStore::Delete(std::string_view name,
                   const std::optional<std::string>& expected_current) {
  const std::lock_guard lock(writer_.mutex);
  SqliteConnection& sqlite = *writer_.sqlite;
  SqliteTransaction transaction(sqlite);
  if (!transaction.open()) return sqlite.error();
  const auto before = CurrentRevision(sqlite, name);
  if (!before) return sqlite.error();
  if (before->empty()) return NameNotFound{};
  if (expected_current && *expected_current != *before) {
    return RevisionConflict{*before};
  }
  if (!Run(sqlite, "DELETE FROM labels WHERE name = ?1", name) ||
      !Run(sqlite, "DELETE FROM names WHERE name = ?1", name)) {
    return sqlite.error();
  }
  auto had =
      All(sqlite, FirstText,
          "DELETE FROM history WHERE name = ?1 RETURNING revision", name);
  if (const auto* error = std::get_if<StoreError>(&had)) return *error;
  Deleted deleted{.before = *before, .removed_revisions = {}};
  for (std::string& revision : std::get<std::vector<std::string>>(had)) {
    SqliteRows rows(sqlite,
                    "DELETE FROM revisions WHERE revision = ?1 AND NOT EXISTS"
                    " (SELECT 1 FROM history WHERE revision = ?1)"
                    " RETURNING revision",
                    revision);
    while (rows.Next()) deleted.removed_revisions.push_back(rows.Text(0));
    if (!rows.ok()) return sqlite.error();
  }
  if (!transaction.Commit()) return sqlite.error();
  return deleted;
}

OrStoreError<std::optional<Registration>> ModelStore::FindCurrent(
    std::string_view name) {
  const std::lock_guard lock(names_.mutex);
  return Current(*names_.sqlite, name);
}

OrStoreError<std::optional<Registration>> ModelStore::FindLabel(
    std::string_view name, std::string_view label) {
  static const std::string sql = Cat(kSelectRegistration,
                                     "JOIN labels AS x USING (name, revision)"
                                     " WHERE x.name = ?1 AND x.label = ?2");
  const std::lock_guard lock(names_.mutex);
  return One(*names_.sqlite, ReadRegistration, sql, name, label);
}

OrStoreError<std::vector<Registration>> ModelStore::FindInHistory(
    std::string_view name, std::string_view prefix, std::size_t limit) {
  static const std::string sql =
      Cat(kSelectRegistration,
          "WHERE h.name = ?1 AND h.revision >= ?2 AND h.revision < ?3"
          " ORDER BY h.revision LIMIT ?4");
  const std::lock_guard lock(names_.mutex);
  return All(*names_.sqlite, ReadRegistration, sql, name, prefix,
             AfterPrefix(prefix), ToInteger(limit));
}

OrStoreError<std::vector<std::string>> ModelStore::FindRevisions(
    std::string_view prefix, std::size_t limit) {
  const std::lock_guard lock(names_.mutex);
  return All(*names_.sqlite, FirstText,
             "SELECT revision FROM revisions"
             " WHERE revision >= ?1 AND revision < ?2 ORDER BY 1 LIMIT ?3",
             prefix, AfterPrefix(prefix), ToInteger(limit));
}

OrStoreError<std::optional<std::int64_t>> ModelStore::SourceBytes(
    std::string_view revision) {
  const std::lock_guard lock(sources_.mutex);
  return One(*sources_.sqlite, FirstInteger,
             "SELECT length(source) FROM revisions WHERE revision = ?1",
             revision);
}

OrStoreError<std::optional<StoredRevision>> ModelStore::ReadRevision(
    std::string_view revision) {
  const std::lock_guard lock(sources_.mutex);
  return One(*sources_.sqlite, ReadStored,
             "SELECT r.revision, r.format, r.source, r.options,"
             " s.revision IS NOT NULL, s.format, s.nq, s.nv, s.problem"
             " FROM revisions AS r LEFT JOIN summaries AS s USING (revision)"
             " WHERE r.revision = ?1",
             revision);
}

OrStoreError<std::vector<ListedName>> ModelStore::ListNames(
    std::string_view after, std::size_t limit) {
  const std::lock_guard lock(names_.mutex);
  return All(*names_.sqlite, ReadListedName,
             "SELECT n.name, n.revision, h.registered_at,"
             " s.revision IS NOT NULL, s.format, s.nq, s.nv, s.problem"
             " FROM names AS n JOIN history AS h USING (name, revision)"
             " LEFT JOIN summaries AS s ON s.revision = n.revision"
             " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2",
             after, ToInteger(limit));
}

OrStoreError<std::vector<std::string>> ModelStore::NamesAround(
    std::string_view name, std::size_t limit) {
  const std::lock_guard lock(names_.mutex);
  return All(*names_.sqlite, FirstText,
             "SELECT name FROM"
             " (SELECT name FROM names WHERE name < ?1"
             "  ORDER BY name DESC LIMIT ?2)"
             " UNION ALL SELECT name FROM"
             " (SELECT name FROM names WHERE name >= ?1 ORDER BY name LIMIT ?2)"
             " ORDER BY 1",
             name, ToInteger(limit / 2));
}

void ModelStore::WriteSummary(std::string_view revision,
                              const RevisionSummary& summary) {
  const std::unique_lock lock(writer_.mutex, std::try_to_lock);
  if (lock) Summarize(*writer_.sqlite, revision, summary);
}

OrStoreError<std::optional<std::string>> ModelStore::FindDirectoryHash(
    std::string_view name) {
  const std::lock_guard lock(names_.mutex);
  return One(*names_.sqlite, FirstText,
             "SELECT content_hash FROM directory_files WHERE name = ?1", name);
}

}  // namespace torqued::server
