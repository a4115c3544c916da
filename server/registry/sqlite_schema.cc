#include "server/registry/sqlite_schema.h"

#include <cstdint>
#include <string_view>

#include "server/registry/page_findings.h"
#include "server/registry/sqlite_migration.h"
#include "server/registry/sqlite_statement.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kApplicationId = 0x74717264;  // "tqrd"

// Times are microseconds since 1970-01-01 UTC.
constexpr const char* kCreateSchema = R"sql(
CREATE TABLE revisions (
  revision TEXT NOT NULL PRIMARY KEY,
  format TEXT NOT NULL,
  options TEXT NOT NULL,
  source BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Every revision that a name points at or has pointed at.
CREATE TABLE history (
  name TEXT NOT NULL,
  revision TEXT NOT NULL REFERENCES revisions (revision),
  registered_at INTEGER NOT NULL,
  PRIMARY KEY (name, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_by_revision ON history (revision);

CREATE TABLE names (
  name TEXT NOT NULL PRIMARY KEY,
  revision TEXT NOT NULL,
  FOREIGN KEY (name, revision) REFERENCES history (name, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE labels (
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  revision TEXT NOT NULL,
  PRIMARY KEY (name, label),
  FOREIGN KEY (name, revision) REFERENCES history (name, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_by_revision ON labels (name, revision);

-- What was last loaded for a name from a directory.
CREATE TABLE directory_files (
  name TEXT NOT NULL PRIMARY KEY,
  content_hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Nothing on success, else why not.
std::optional<std::string> CreateSchema(SqliteConnection& connection) {
  const std::string mark =
      "PRAGMA application_id = " + std::to_string(kApplicationId) +
      "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  SqliteTransaction transaction(connection);
  if (transaction.open() && connection.Execute(kCreateSchema) &&
      AddFormerRevisions(connection) && AddChecksumsAndSummaries(connection) &&
      connection.Execute(mark.c_str()) && transaction.Commit()) {
    return std::nullopt;
  }
  // Before the transaction is undone, which has no error.
  return connection.error().message;
}

std::optional<std::int64_t> ReadInteger(SqliteConnection& connection,
                                        std::string_view sql) {
  SqliteStatement statement;
  if (!statement.Prepare(connection.handle(), sql)) return std::nullopt;
  SqliteRows rows(statement);
  if (!rows.Next()) return std::nullopt;
  return rows.Integer(0);
}

std::optional<std::string> ReadText(SqliteConnection& connection,
                                    std::string_view sql) {
  SqliteStatement statement;
  if (!statement.Prepare(connection.handle(), sql)) return std::nullopt;
  SqliteRows rows(statement);
  if (!rows.Next()) return std::nullopt;
  return rows.Text(0);
}

// Closing the last connection would copy a left-over log into the file, which
// must not happen to a file that is refused.
void CopyLogOnClose(SqliteConnection& connection, bool copy) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                    copy ? 0 : 1, nullptr);
}

std::string Unreadable(const SqliteConnection& connection) {
  const StoreError error = connection.error();
  return (error.code == StoreError::Code::kDamaged
              ? "damaged or not a model database ("
              : "cannot be read (") +
         error.message + "); the file was left as it is";
}

// Pages, records and indexes fit together. What a source says is checked
// against its revision when it is read.
std::optional<std::string> CheckWhole(SqliteConnection& connection) {
  const auto verdict = ReadText(connection, "PRAGMA quick_check(1)");
  if (!verdict) return Unreadable(connection);
  if (const auto findings = PageFindings(*verdict); !findings.empty()) {
    return "damaged (" + findings.front() + "); the file was left as it is";
  }
  // No version makes any; to read one may take for ever.
  const auto views = ReadInteger(
      connection, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'");
  if (!views) return Unreadable(connection);
  if (*views > 0) return "damaged (it has a view); the file was left as it is";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> PrepareSqliteSchema(
    SqliteConnection& connection, std::optional<std::string>& unmended) {
  CopyLogOnClose(connection, false);
  if (!connection.Configure()) return Unreadable(connection);
  const auto objects =
      ReadInteger(connection, "SELECT count(*) FROM sqlite_schema");
  const auto id = ReadInteger(connection, "PRAGMA application_id");
  const auto version = ReadInteger(connection, "PRAGMA user_version");
  if (!objects || !id || !version) return Unreadable(connection);

  const bool empty = *objects == 0 && *id == 0 && *version == 0;
  if (!empty && *id != kApplicationId) {
    return "a database of another program; the file was left as it is";
  }
  if (!empty && *version > kSchemaVersion) {
    return "written by a newer torqued (schema " + std::to_string(*version) +
           ", this version knows up to " + std::to_string(kSchemaVersion) +
           "); use that version, or another file";
  }
  if (!empty) {
    if (auto damage = CheckWhole(connection)) return damage;
  }

  const auto mode = ReadText(connection, "PRAGMA journal_mode = WAL");
  if (!mode) return Unreadable(connection);
  if (*mode != "wal") {
    return "the file system does not offer what a write-ahead log needs (is it "
           "a network file system?)";
  }
  if (empty) {
    if (const auto why = CreateSchema(connection)) {
      return "cannot create its tables: " + *why;
    }
  } else if (const auto why = MigrateSchema(connection, *version)) {
    return "cannot bring its tables to this version: " + *why +
           "; they were left as they are";
  }
  unmended = MendFormerRevisions(connection);
  CopyLogOnClose(connection, true);
  return std::nullopt;
}

SchemaIdentity KnownSchema() {
  return {.application_id = kApplicationId, .version = kSchemaVersion};
}

}  // namespace torqued::server
