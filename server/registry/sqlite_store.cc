#include "server/registry/sqlite_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "server/registry/file_lock.h"
#include "server/registry/quiet_checkpoint.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_schema.h"
#include "server/registry/sqlite_statement.h"
#include "server/registry/store_files.h"

namespace torqued::server {
namespace {

std::int64_t ToMicroseconds(StoreTime time) {
  return time.time_since_epoch().count();
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

// Least text after all that start with a prefix of hex digits.
std::string AfterPrefix(std::string_view prefix) {
  return std::string(prefix) + 'g';
}

// The columns that ReadRegistration takes, of a row of history `h`.
#define TORQUED_REGISTRATION_COLUMNS                     \
  "h.name, h.revision, h.registered_at,"                 \
  " (SELECT group_concat(l.label, ' ') FROM labels AS l" \
  "  WHERE l.name = h.name AND l.revision = h.revision)"

Registration ReadRegistration(const SqliteRows& row) {
  return {.name = row.Text(0),
          .revision = row.Text(1),
          .registered_at = ToTime(row.Integer(2)),
          .labels = SplitLabels(row.Text(3))};
}

constexpr std::string_view kFindCurrent =
    "SELECT " TORQUED_REGISTRATION_COLUMNS
    " FROM names AS n JOIN history AS h USING (name, revision)"
    " WHERE n.name = ?1";

// What registration and deletion need.
class Writer {
 public:
  explicit Writer(std::unique_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)) {}

  /// Why the last call failed.
  StoreError error() const { return connection_->error(); }

  bool Prepare() {
    return Prepare(find_current_, kFindCurrent) &&
           Prepare(find_former_,
                   "SELECT revision FROM former_revisions WHERE former = ?1") &&
           // A row that differs is damaged: the revision is a hash of all three
           // and the caller has just computed it.
           Prepare(insert_revision_,
                   "INSERT INTO revisions"
                   " (revision, format, options, source, created_at)"
                   " VALUES (?1, ?2, ?3, ?4, ?5)"
                   " ON CONFLICT (revision) DO UPDATE SET"
                   "  format = excluded.format,"
                   "  options = excluded.options,"
                   "  source = excluded.source"
                   " WHERE (format, options, source) <>"
                   "  (excluded.format, excluded.options, excluded.source)") &&
           Prepare(insert_history_,
                   "INSERT INTO history (name, revision, registered_at)"
                   " VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (name, revision) DO UPDATE SET"
                   "  registered_at = excluded.registered_at") &&
           Prepare(move_pointer_,
                   "INSERT INTO names (name, revision) VALUES (?1, ?2)"
                   " ON CONFLICT (name) DO UPDATE SET"
                   "  revision = excluded.revision") &&
           Prepare(move_label_,
                   "INSERT INTO labels (name, label, revision)"
                   " VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (name, label) DO UPDATE SET"
                   "  revision = excluded.revision"
                   " WHERE revision <> excluded.revision") &&
           Prepare(set_directory_hash_,
                   "INSERT INTO directory_files (name, content_hash)"
                   " VALUES (?1, ?2)"
                   " ON CONFLICT (name) DO UPDATE SET"
                   "  content_hash = excluded.content_hash"
                   " WHERE content_hash <> excluded.content_hash") &&
           Prepare(delete_labels_, "DELETE FROM labels WHERE name = ?1") &&
           Prepare(delete_name_, "DELETE FROM names WHERE name = ?1") &&
           Prepare(delete_history_,
                   "DELETE FROM history WHERE name = ?1 RETURNING revision") &&
           Prepare(delete_orphan_,
                   "DELETE FROM revisions WHERE revision = ?1 AND NOT EXISTS"
                   " (SELECT 1 FROM history WHERE revision = ?1)"
                   " RETURNING revision");
  }

  std::variant<Registered, RevisionConflict, StoreError> Register(
      const RegistrationChange& change) {
    SqliteTransaction transaction(*connection_);
    if (!transaction.open()) return error();
    std::optional<Registration> before;
    if (!FindCurrent(change.name, before)) return error();
    std::string current = before ? before->revision : "";
    bool holds = false;
    if (!Holds(change.expected_current, current, holds)) return error();
    if (!holds) return RevisionConflict{std::move(current)};
    const bool changed = current != change.revision;
    const std::int64_t now = ToMicroseconds(change.now);
    if (!Run(insert_revision_, change.revision, change.format, change.options,
             SqliteBlob{change.source}, now)) {
      return error();
    }
    if (changed && (!Run(insert_history_, change.name, change.revision, now) ||
                    !Run(move_pointer_, change.name, change.revision))) {
      return error();
    }
    if (!change.label.empty() &&
        !Run(move_label_, change.name, change.label, change.revision)) {
      return error();
    }
    if (change.directory_hash &&
        !Run(set_directory_hash_, change.name, *change.directory_hash)) {
      return error();
    }
    std::optional<Registration> after;
    if (!FindCurrent(change.name, after) || !after) return error();
    if (!transaction.Commit()) return error();
    return Registered{std::move(*after), changed};
  }

  std::variant<Deleted, NameNotFound, RevisionConflict, StoreError> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current) {
    SqliteTransaction transaction(*connection_);
    if (!transaction.open()) return error();
    std::optional<Registration> before;
    if (!FindCurrent(name, before)) return error();
    if (!before) return NameNotFound{};
    bool holds = false;
    if (!Holds(expected_current, before->revision, holds)) return error();
    if (!holds) return RevisionConflict{std::move(before->revision)};
    std::vector<std::string> had;
    if (!Run(delete_labels_, name) || !Run(delete_name_, name) ||
        !Collect(had, delete_history_, name)) {
      return error();
    }
    Deleted deleted;
    for (const std::string& revision : had) {
      if (!Collect(deleted.removed_revisions, delete_orphan_, revision)) {
        return error();
      }
    }
    if (!transaction.Commit()) return error();
    return deleted;
  }

 private:
  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_->handle(), sql);
  }

  bool FindCurrent(std::string_view name, std::optional<Registration>& found) {
    SqliteRows rows(find_current_, name);
    if (rows.Next()) found = ReadRegistration(rows);
    return rows.ok();
  }

  // Whether the current revision is the expected one, or what that was in an
  // older layout.
  bool Holds(std::optional<std::string_view> expected,
             const std::string& current, bool& holds) {
    holds = !expected || *expected == current;
    if (holds) return true;
    SqliteRows rows(find_former_, *expected);
    if (rows.Next()) holds = rows.Text(0) == current;
    return rows.ok();
  }

  template <class... Values>
  static bool Run(SqliteStatement& statement, const Values&... values) {
    return SqliteRows(statement, values...).Finish();
  }

  // Appends the first column of each row.
  static bool Collect(std::vector<std::string>& texts,
                      SqliteStatement& statement, std::string_view value) {
    SqliteRows rows(statement, value);
    while (rows.Next()) texts.push_back(rows.Text(0));
    return rows.ok();
  }

  // Statements go before the connection they belong to.
  std::unique_ptr<SqliteConnection> connection_;
  SqliteStatement find_current_;
  SqliteStatement find_former_;
  SqliteStatement insert_revision_;
  SqliteStatement insert_history_;
  SqliteStatement move_pointer_;
  SqliteStatement move_label_;
  SqliteStatement set_directory_hash_;
  SqliteStatement delete_labels_;
  SqliteStatement delete_name_;
  SqliteStatement delete_history_;
  SqliteStatement delete_orphan_;
};

// What look-ups need. Each is one statement and so sees one state.
class Reader {
 public:
  explicit Reader(std::unique_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)) {}

  /// Why the last call failed.
  StoreError error() const { return connection_->error(); }

  bool Prepare() {
    return connection_->Execute("PRAGMA query_only = ON") &&
           Prepare(find_current_, kFindCurrent) &&
           Prepare(find_label_,
                   "SELECT " TORQUED_REGISTRATION_COLUMNS
                   " FROM labels AS x JOIN history AS h USING (name, revision)"
                   " WHERE x.name = ?1 AND x.label = ?2") &&
           Prepare(find_in_history_,
                   "SELECT " TORQUED_REGISTRATION_COLUMNS
                   " FROM history AS h"
                   " WHERE h.name = ?1 AND (h.revision >= ?2"
                   "  AND h.revision < ?3 OR h.revision IN"
                   "  (SELECT f.revision FROM former_revisions AS f"
                   "   WHERE f.former >= ?2 AND f.former < ?3))"
                   " ORDER BY h.revision LIMIT ?4") &&
           Prepare(find_revisions_,
                   "SELECT revision FROM revisions"
                   " WHERE revision >= ?1 AND revision < ?2"
                   " UNION SELECT revision FROM former_revisions"
                   " WHERE former >= ?1 AND former < ?2"
                   " ORDER BY revision LIMIT ?3") &&
           Prepare(read_revision_,
                   "SELECT revision, format, source, options, created_at"
                   " FROM revisions WHERE revision = ?1") &&
           Prepare(list_names_,
                   "SELECT " TORQUED_REGISTRATION_COLUMNS
                   " FROM names AS n JOIN history AS h USING (name, revision)"
                   " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2") &&
           Prepare(find_directory_hash_,
                   "SELECT content_hash FROM directory_files"
                   " WHERE name = ?1");
  }

  OrStoreError<std::optional<Registration>> FindCurrent(std::string_view name) {
    SqliteRows rows(find_current_, name);
    return One(rows, ReadRegistration);
  }

  OrStoreError<std::optional<Registration>> FindLabel(std::string_view name,
                                                      std::string_view label) {
    SqliteRows rows(find_label_, name, label);
    return One(rows, ReadRegistration);
  }

  OrStoreError<std::vector<Registration>> FindInHistory(std::string_view name,
                                                        std::string_view prefix,
                                                        std::size_t limit) {
    const std::string end = AfterPrefix(prefix);
    SqliteRows rows(find_in_history_, name, prefix, end, ToInteger(limit));
    return All(rows, ReadRegistration);
  }

  OrStoreError<std::vector<std::string>> FindRevisions(std::string_view prefix,
                                                       std::size_t limit) {
    const std::string end = AfterPrefix(prefix);
    SqliteRows rows(find_revisions_, prefix, end, ToInteger(limit));
    return All(rows, FirstText);
  }

  OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision) {
    SqliteRows rows(read_revision_, revision);
    return One(rows, [](const SqliteRows& row) {
      return StoredRevision{.revision = row.Text(0),
                            .format = row.Text(1),
                            .source = row.Blob(2),
                            .options = row.Text(3),
                            .created_at = ToTime(row.Integer(4))};
    });
  }

  OrStoreError<std::vector<Registration>> ListNames(std::string_view after,
                                                    std::size_t limit) {
    SqliteRows rows(list_names_, after, ToInteger(limit));
    return All(rows, ReadRegistration);
  }

  OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name) {
    SqliteRows rows(find_directory_hash_, name);
    return One(rows, FirstText);
  }

 private:
  static std::int64_t ToInteger(std::size_t limit) {
    return static_cast<std::int64_t>(limit);
  }

  static std::string FirstText(const SqliteRows& row) { return row.Text(0); }

  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_->handle(), sql);
  }

  // The first row, if there is one.
  template <class Read>
  auto One(SqliteRows& rows, Read read)
      -> OrStoreError<std::optional<decltype(read(rows))>> {
    std::optional<decltype(read(rows))> found;
    if (rows.Next()) found = read(rows);
    if (!rows.ok()) return error();
    return found;
  }

  template <class Read>
  auto All(SqliteRows& rows, Read read)
      -> OrStoreError<std::vector<decltype(read(rows))>> {
    std::vector<decltype(read(rows))> found;
    while (rows.Next()) found.push_back(read(rows));
    if (!rows.ok()) return error();
    return found;
  }

  std::unique_ptr<SqliteConnection> connection_;
  SqliteStatement find_current_;
  SqliteStatement find_label_;
  SqliteStatement find_in_history_;
  SqliteStatement find_revisions_;
  SqliteStatement read_revision_;
  SqliteStatement list_names_;
  SqliteStatement find_directory_hash_;
};

// Look-ups have a connection of their own, so that none waits while a
// registration waits for the disk.
class SqliteStore final : public ModelStore {
 public:
  SqliteStore(std::unique_ptr<FileLock> lock,
              std::unique_ptr<SqliteConnection> writer,
              std::unique_ptr<SqliteConnection> reader,
              std::unique_ptr<SqliteConnection> checkpointer,
              std::chrono::milliseconds quiet)
      : lock_(std::move(lock)),
        writer_(std::move(writer)),
        reader_(std::move(reader)),
        checkpoint_(std::move(checkpointer), quiet) {}

  /// Nothing on success.
  std::optional<StoreError> Prepare() {
    if (!writer_.Prepare()) return writer_.error();
    if (!reader_.Prepare()) return reader_.error();
    return std::nullopt;
  }

  std::variant<Registered, RevisionConflict, StoreError> Register(
      const RegistrationChange& change) override {
    std::lock_guard lock(writer_mutex_);
    auto outcome = writer_.Register(change);
    checkpoint_.NoteWrite();
    return outcome;
  }

  std::variant<Deleted, NameNotFound, RevisionConflict, StoreError> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current) override {
    std::lock_guard lock(writer_mutex_);
    auto outcome = writer_.Delete(name, expected_current);
    checkpoint_.NoteWrite();
    return outcome;
  }

  OrStoreError<std::optional<Registration>> FindCurrent(
      std::string_view name) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindCurrent(name);
  }

  OrStoreError<std::optional<Registration>> FindLabel(
      std::string_view name, std::string_view label) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindLabel(name, label);
  }

  OrStoreError<std::vector<Registration>> FindInHistory(
      std::string_view name, std::string_view prefix,
      std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindInHistory(name, prefix, limit);
  }

  OrStoreError<std::vector<std::string>> FindRevisions(
      std::string_view prefix, std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindRevisions(prefix, limit);
  }

  OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.ReadRevision(revision);
  }

  OrStoreError<std::vector<Registration>> ListNames(
      std::string_view after, std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.ListNames(after, limit);
  }

  OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindDirectoryHash(name);
  }

 private:
  std::unique_ptr<FileLock> lock_;  // released last
  std::mutex writer_mutex_;
  Writer writer_;
  std::mutex reader_mutex_;
  Reader reader_;
  QuietCheckpoint checkpoint_;  // ends first
};

}  // namespace

std::variant<std::unique_ptr<ModelStore>, std::string> OpenSqliteStore(
    const std::string& path, std::chrono::milliseconds quiet) {
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
  // One lock for one file, by whatever path it is reached.
  file = fs::weakly_canonical(file, error);
  if (error) return failed(error.message());
  if (fs::is_directory(file, error)) return failed("is a directory");

  auto locked = FileLock::Acquire(file.string() + ".lock");
  if (const auto* held = std::get_if<FileLock::Held>(&locked)) {
    return failed("is in use by another torqued" +
                  (held->pid.empty() ? "" : " (pid " + held->pid + ")"));
  }
  if (const auto* why = std::get_if<std::string>(&locked)) return failed(*why);

  auto writer = SqliteConnection::Open(file.string());
  if (const auto* why = std::get_if<std::string>(&writer)) return failed(*why);
  auto& writing = std::get<std::unique_ptr<SqliteConnection>>(writer);
  if (auto why = PrepareSqliteSchema(*writing)) return failed(*why);
  SyncDirectory(file.parent_path());

  std::array<std::unique_ptr<SqliteConnection>, 2> others;
  for (auto& other : others) {
    auto opened = SqliteConnection::Open(file.string());
    if (const auto* why = std::get_if<std::string>(&opened)) {
      return failed(*why);
    }
    other = std::move(std::get<std::unique_ptr<SqliteConnection>>(opened));
    if (!other->Configure()) return failed(other->error().message);
  }

  auto store = std::make_unique<SqliteStore>(
      std::move(std::get<std::unique_ptr<FileLock>>(locked)),
      std::move(writing), std::move(others[0]), std::move(others[1]), quiet);
  if (const auto why = store->Prepare()) {
    return failed("its tables are not as expected: " + why->message);
  }
  return std::unique_ptr<ModelStore>(std::move(store));
}

}  // namespace torqued::server
