// The tables of a model store.
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "server/registry/model_store.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kApplicationId = 0x74717264;  // "tqrd"
constexpr std::int64_t kSchema = 4;

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
PRAGMA application_id = 0x74717264;
PRAGMA user_version = 4;
)sql";

// Schema 3 had a checksum in each row and the table former_revisions.
constexpr const char* kFromSchema3 =
    "DROP TABLE former_revisions;"
    "ALTER TABLE names DROP COLUMN checksum;"
    "ALTER TABLE history DROP COLUMN checksum;"
    "ALTER TABLE labels DROP COLUMN checksum;"
    "ALTER TABLE directory_files DROP COLUMN checksum;"
    "ALTER TABLE summaries DROP COLUMN checksum;"
    "PRAGMA user_version = 4;";

}  // namespace

std::int64_t ReadSchema(SqliteConnection& connection) {
  const auto read = [&](std::string_view sql) {
    return connection.One(FirstInteger, sql);
  };
  const std::int64_t tables = read("SELECT count(*) FROM sqlite_schema"),
                     id = read("PRAGMA application_id"),
                     schema = read("PRAGMA user_version");
  if (tables == 0 && id == 0 && schema == 0) return 0;
  if (id != kApplicationId) {
    throw StoreError("it is a database of another program", true);
  }
  if (schema != 3 && schema != kSchema) {
    throw StoreError(
        Cat("written by ", schema > kSchema ? "a newer" : "an older",
            " torqued (schema ", std::to_string(schema),
            ", this version reads 3 and 4); use that version, or another "
            "file"));
  }
  return schema;
}

void PrepareSchema(SqliteConnection& connection) {
  std::string doing;  // for the message of a failure
  try {
    connection.Execute(
        "PRAGMA foreign_keys = ON;"
        "PRAGMA synchronous = FULL;"
        // The log shrinks again after a large registration.
        "PRAGMA journal_size_limit = 16777216;");
    const std::int64_t schema = ReadSchema(connection);
    const auto verdict = connection.One(FirstText, "PRAGMA quick_check(1)");
    if (verdict != "ok") {
      // Below the line "*** in database main ***".
      throw StoreError(verdict.substr(verdict.find('\n') + 1), true);
    }
    if (connection.One(FirstText, "PRAGMA journal_mode = WAL") != "wal") {
      throw StoreError(
          "the file system does not offer what a write-ahead log needs (is it "
          "a network file system?)");
    }
    if (schema < kSchema) {
      doing = "cannot bring its tables to this version: ";
      // Undone, if it fails, when the connection is closed.
      connection.Execute(Cat("BEGIN IMMEDIATE;",
                             schema == 0 ? kCreate : kFromSchema3, "COMMIT;"));
    }
  } catch (const StoreError& error) {
    if (error.damaged) doing = "damaged or no model database: ";
    throw StoreError(Cat(doing, error.what(), "; the file was left as it is"));
  }
  connection.CopyLogOnClose();  // not of a file that was refused
}

}  // namespace torqued::server
