#include "server/registry/sqlite_migration.h"

#include <string>
#include <vector>

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
    const std::string name(table.name);
    const std::string sql =
        "ALTER TABLE " + name +
        " ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0; UPDATE " + name +
        " SET checksum = " + std::string(table.sum);
    if (!connection.Execute(sql.c_str())) return false;
  }
  return true;
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
