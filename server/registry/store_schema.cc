#include "server/registry/store_schema.h"

#include <string_view>

namespace torqued::server {
namespace {

// Times are microseconds since 1970-01-01 UTC.
constexpr const char* kCreate = R"sql(
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

-- What a revision was when it was last loaded, for lists. Not in revisions:
-- SQLite would read past the source for it.
CREATE TABLE summaries (
  revision TEXT NOT NULL PRIMARY KEY
    REFERENCES revisions (revision) ON DELETE CASCADE,
  format TEXT NOT NULL,
  nq INTEGER NOT NULL,
  nv INTEGER NOT NULL,
  problem TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kFromSchema3 =
    "DROP TABLE former_revisions;"
    "ALTER TABLE names DROP COLUMN checksum;"
    "ALTER TABLE history DROP COLUMN checksum;"
    "ALTER TABLE labels DROP COLUMN checksum;"
    "ALTER TABLE directory_files DROP COLUMN checksum;"
    "ALTER TABLE summaries DROP COLUMN checksum;";

std::optional<std::int64_t> ReadInteger(SqliteConnection& connection,
                                        std::string_view sql) {
  SqliteRows rows(connection, sql);
  if (!rows.Next()) return std::nullopt;
  return rows.Integer(0);
}

std::optional<std::string> ReadText(SqliteConnection& connection,
                                    std::string_view sql) {
  SqliteRows rows(connection, sql);
  if (!rows.Next()) return std::nullopt;
  return rows.Text(0);
}

std::string Unreadable(const SqliteConnection& connection) {
  const StoreError error = connection.error();
  return (error.code == StoreError::Code::kDamaged
              ? "damaged or not a model database ("
              : "cannot be read (") +
         error.message + "); the file was left as it is";
}

/// Nothing on success, else why not.
std::optional<std::string> Change(SqliteConnection& connection,
                                  const char* sql) {
  const std::string mark =
      "PRAGMA application_id = " + std::to_string(kApplicationId) +
      "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  SqliteTransaction transaction(connection);
  if (transaction.open() && connection.Execute(sql) &&
      connection.Execute(mark.c_str()) && transaction.Commit()) {
    return std::nullopt;
  }
  // Before the transaction is undone, which has no error.
  return connection.error().message;
}

}  // namespace

std::string WhyNotSchema(std::int64_t schema) {
  if (schema >= kOldestSchema && schema <= kSchemaVersion) return {};
  return std::string("written by ") +
         (schema > kSchemaVersion ? "a newer" : "an older") +
         " torqued (schema " + std::to_string(schema) +
         ", this version reads " + std::to_string(kOldestSchema) + " and " +
         std::to_string(kSchemaVersion) + ")";
}

std::optional<std::string> PrepareSchema(SqliteConnection& connection) {
  // A refused file must stay as it is, also with a log beside it.
  connection.CopyLogOnClose(false);
  if (!connection.Configure()) return Unreadable(connection);
  const auto objects =
      ReadInteger(connection, "SELECT count(*) FROM sqlite_schema");
  const auto id = ReadInteger(connection, "PRAGMA application_id");
  const auto version = ReadInteger(connection, "PRAGMA user_version");
  if (!objects || !id || !version) return Unreadable(connection);

  const bool empty = *objects == 0 && *id == 0 && *version == 0;
  if (!empty) {
    if (*id != kApplicationId) {
      return "a database of another program; the file was left as it is";
    }
    if (const std::string why = WhyNotSchema(*version); !why.empty()) {
      return why + "; use that version, or another file";
    }
    const auto verdict = ReadText(connection, "PRAGMA quick_check(1)");
    if (!verdict) return Unreadable(connection);
    if (*verdict != "ok") {
      // Below the line "*** in database main ***".
      return "damaged (" + verdict->substr(verdict->find('\n') + 1) +
             "); the file was left as it is";
    }
  }

  const auto mode = ReadText(connection, "PRAGMA journal_mode = WAL");
  if (!mode) return Unreadable(connection);
  if (*mode != "wal") {
    return "the file system does not offer what a write-ahead log needs (is it "
           "a network file system?)";
  }
  if (empty || *version < kSchemaVersion) {
    if (const auto why = Change(connection, empty ? kCreate : kFromSchema3)) {
      return (empty ? "cannot create its tables: "
                    : "cannot bring its tables to this version: ") +
             *why;
    }
  }
  connection.CopyLogOnClose(true);
  return std::nullopt;
}

}  // namespace torqued::server
