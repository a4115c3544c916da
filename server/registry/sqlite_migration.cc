#include "server/registry/sqlite_migration.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/model/text.h"
#include "server/registry/revision.h"
#include "server/registry/row_checksum.h"
#include "server/registry/sqlite_statement.h"

namespace torqued::server {
namespace {

constexpr std::string_view kLayout1 = "1";

// One revision at a time in memory: sources are large.
class Relayout {
 public:
  explicit Relayout(SqliteConnection& connection) : connection_(connection) {}

  bool Run() {
    std::vector<std::string> revisions;
    return Prepare() && List(revisions) && MoveAll(revisions);
  }

 private:
  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_.handle(), sql);
  }

  bool Prepare() {
    return Prepare(list_, "SELECT revision FROM revisions") &&
           Prepare(read_,
                   "SELECT format, source, options FROM revisions"
                   " WHERE revision = ?1") &&
           Prepare(move_revision_,
                   "UPDATE revisions SET revision = ?2, options = ?3"
                   " WHERE revision = ?1") &&
           Prepare(move_history_,
                   "UPDATE history SET revision = ?2 WHERE revision = ?1") &&
           Prepare(move_names_,
                   "UPDATE names SET revision = ?2 WHERE revision = ?1") &&
           Prepare(move_labels_,
                   "UPDATE labels SET revision = ?2 WHERE revision = ?1") &&
           Prepare(remember_,
                   "INSERT INTO former_revisions (former, revision)"
                   " VALUES (?1, ?2)");
  }

  bool List(std::vector<std::string>& revisions) {
    SqliteRows rows(list_);
    while (rows.Next()) revisions.push_back(rows.Text(0));
    return rows.ok();
  }

  bool MoveAll(const std::vector<std::string>& revisions) {
    for (const std::string& former : revisions) {
      std::string revision, options;
      if (!Read(former, revision, options)) return false;
      if (revision.empty()) continue;  // damaged
      const auto run = [](SqliteStatement& statement, const auto&... values) {
        return SqliteRows(statement, values...).Finish();
      };
      if (!run(move_revision_, former, revision, options) ||
          !run(move_history_, former, revision) ||
          !run(move_names_, former, revision) ||
          !run(move_labels_, former, revision) ||
          !run(remember_, former, revision)) {
        return false;
      }
    }
    return true;
  }

  bool Read(const std::string& former, std::string& revision,
            std::string& options) {
    SqliteRows rows(read_, former);
    if (!rows.Next()) return false;
    const std::string format = rows.Text(0), source = rows.Blob(1);
    const std::string stored = rows.Text(2);
    if (ComputeRevision(format, source, stored, kLayout1) != former) {
      return true;
    }
    options = FromLayout1(stored);
    revision = ComputeRevision(format, source, options);
    return true;
  }

  SqliteConnection& connection_;
  SqliteStatement list_, read_, move_revision_, move_history_, move_names_,
      move_labels_, remember_;
};

// One revision at a time in memory here, too.
class FormerRevisions {
 public:
  explicit FormerRevisions(SqliteConnection& connection)
      : connection_(connection) {}

  std::optional<std::string> Mend() {
    if (!Collect()) return connection_.error().message;
    if (altered_.empty()) return std::nullopt;
    SqliteTransaction transaction(connection_);
    if (transaction.open() && Prepare() && Remove() && Restore() &&
        transaction.Commit()) {
      return std::nullopt;
    }
    // Before the transaction is undone, which has no error.
    return connection_.error().message;
  }

 private:
  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_.handle(), sql);
  }

  bool Collect() {
    SqliteStatement find;
    if (!Prepare(find,
                 "SELECT former, revision FROM former_revisions"
                 " WHERE checksum IS NOT"
                 "  row_checksum('former_revisions', former, revision)")) {
      return false;
    }
    SqliteRows rows(find);
    while (rows.Next()) {
      altered_.insert(rows.Text(0));
      touched_.insert({rows.Text(0), rows.Text(1)});
    }
    return rows.ok();
  }

  bool Prepare() {
    return Prepare(remove_, "DELETE FROM former_revisions WHERE former = ?1") &&
           Prepare(read_,
                   "SELECT revision, format, source, options FROM revisions") &&
           Prepare(insert_,
                   "INSERT OR REPLACE INTO former_revisions"
                   " (former, revision, checksum) VALUES (?1, ?2,"
                   "  row_checksum('former_revisions', ?1, ?2))");
  }

  bool Remove() {
    return std::all_of(altered_.begin(), altered_.end(),
                       [this](const std::string& former) {
                         return SqliteRows(remove_, former).Finish();
                       });
  }

  bool Restore() {
    SqliteRows rows(read_);
    while (rows.Next()) {
      const std::string revision = rows.Text(0), format = rows.Text(1);
      const std::string source = rows.Blob(2), options = rows.Text(3);
      const std::string former =
          ComputeRevision(format, source, ToLayout1(options), kLayout1);
      if (!touched_.contains(former) && !touched_.contains(revision)) continue;
      // What is damaged itself has told nothing.
      if (ComputeRevision(format, source, options) != revision) continue;
      if (!SqliteRows(insert_, former, revision).Finish()) return false;
    }
    return rows.ok();
  }

  SqliteConnection& connection_;
  std::set<std::string> altered_;
  std::set<std::string> touched_;  // by these rows, former and present ones
  SqliteStatement remove_, read_, insert_;
};

constexpr const char* kCreateFormerRevisions = R"sql(
-- What revisions were in older layouts: references by them lead on.
CREATE TABLE former_revisions (
  former TEXT NOT NULL PRIMARY KEY,
  revision TEXT NOT NULL REFERENCES revisions (revision) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX former_by_revision ON former_revisions (revision);
)sql";

// Only revisions that are there: what is dangling has no summary.
constexpr const char* kCreateSummaries = R"sql(
-- What a revision was when it was last loaded, for lists.
CREATE TABLE summaries (
  revision TEXT NOT NULL PRIMARY KEY
    REFERENCES revisions (revision) ON DELETE CASCADE,
  format TEXT NOT NULL,
  nq INTEGER NOT NULL,
  nv INTEGER NOT NULL,
  problem TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace

bool AddFormerRevisions(SqliteConnection& connection) {
  return connection.Execute(kCreateFormerRevisions);
}

bool AddChecksumsAndSummaries(SqliteConnection& connection) {
  if (!connection.Execute(kCreateSummaries)) return false;
  for (const CheckedTable& table : kCheckedTables) {
    const std::string sql =
        Cat("ALTER TABLE ", table.name,
            " ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0; UPDATE ",
            table.name, " SET checksum = ", table.sum);
    if (!connection.Execute(sql.c_str())) return false;
  }
  return true;
}

std::optional<std::string> MendFormerRevisions(SqliteConnection& connection) {
  return FormerRevisions(connection).Mend();
}

std::string_view LayoutOfSchema(std::int64_t schema) {
  return schema < 2 ? kLayout1 : kRevisionLayout;
}

std::optional<std::string> MigrateSchema(SqliteConnection& connection,
                                         std::int64_t from) {
  if (from >= kSchemaVersion) return std::nullopt;
  const std::string mark =
      "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  SqliteTransaction transaction(connection);
  if (transaction.open() &&
      // Rows that refer to one another change one after the other.
      connection.Execute("PRAGMA defer_foreign_keys = ON") &&
      (from >= 2 ||
       (AddFormerRevisions(connection) && Relayout(connection).Run())) &&
      AddChecksumsAndSummaries(connection) &&
      connection.Execute(mark.c_str()) && transaction.Commit()) {
    return std::nullopt;
  }
  // Before the transaction is undone, which has no error.
  return connection.error().message;
}

}  // namespace torqued::server
