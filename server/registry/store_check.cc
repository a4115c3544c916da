#include "server/registry/store_check.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "core/model/text.h"
#include "server/registry/page_findings.h"
#include "server/registry/revision.h"
#include "server/registry/row_checksum.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_migration.h"
#include "server/registry/sqlite_schema.h"
#include "server/registry/sqlite_statement.h"
#include "server/registry/store_files.h"

namespace torqued::server {
namespace {

/// There is no answer.
struct Failure {
  std::string why;
};

// Damage, by a row of the query that looks for it.

std::string NamePointsPastItsHistory(const SqliteRows& row) {
  return "name " + row.Text(0) + ": points at revision " + row.Text(1) +
         ", which is not in its history";
}

std::string LabelPointsPastTheHistory(const SqliteRows& row) {
  return "label " + row.Text(0) + "@" + row.Text(2) + ": points at revision " +
         row.Text(1) + ", which is not in the name's history";
}

std::string RevisionIsMissing(const SqliteRows& row) {
  return "name " + row.Text(0) + ": revision " + row.Text(1) + " is missing";
}

std::string RevisionOfFormerIsMissing(const SqliteRows& row) {
  return "former revision " + row.Text(0) + ": revision " + row.Text(1) +
         " is missing";
}

std::string NamePointsNowhere(const SqliteRows& row) {
  return "name " + row.Text(0) + ": has a history and points at nothing";
}

std::string NoNameHasIt(const SqliteRows& row) {
  return "revision " + row.Text(0) + ": is in the history of no name";
}

std::string RowIsAltered(const SqliteRows& row) {
  return row.Text(0) + ": is not what was stored; its checksum is another";
}

void PassOver(const SqliteRows& /*row*/) {}

class Checker {
 public:
  explicit Checker(SqliteConnection& connection) : connection_(connection) {}

  /// Throws Failure.
  StoreCheck Check() {
    // What follows sees one state of the store.
    if (!connection_.Execute("BEGIN")) Fail("");
    if (!CheckIdentity()) return std::move(check_);
    CheckPages();
    CheckTables();
    CheckRevisions();
    CheckReferences();
    connection_.Execute("ROLLBACK");
    return std::move(check_);
  }

 private:
  void Add(std::string damage) {
    if (++check_.damage_count <= StoreCheck::kMostListed) {
      check_.damage.push_back(std::move(damage));
    }
  }

  /// Of the last call on the connection: damage, or no answer.
  void Fail(const std::string& place) {
    const StoreError error = connection_.error();
    if (error.code != StoreError::Code::kDamaged) throw Failure{error.message};
    Add((place.empty() ? "" : place + ": ") + error.message);
  }

  /// Calls `row` with each. What does not fit the tables is damage.
  template <class Row, class... Values>
  void ForEach(const std::string& place, std::string_view sql, const Row& row,
               const Values&... values) {
    SqliteStatement statement;
    if (!statement.Prepare(connection_.handle(), sql)) {
      if ((sqlite3_errcode(connection_.handle()) & 0xFF) == SQLITE_ERROR) {
        return Add(place + ": not as expected: " + connection_.error().message);
      }
      return Fail(place);
    }
    SqliteRows rows(statement, values...);
    while (rows.Next()) row(rows);
    if (!rows.ok()) Fail(place);
  }

  /// Each row is damage.
  void AddEach(const std::string& place, std::string_view sql,
               std::string (*damage)(const SqliteRows&)) {
    ForEach(place, sql,
            [this, damage](const SqliteRows& row) { Add(damage(row)); });
  }

  /// The one number of a query; 0 where it has no answer.
  std::int64_t Integer(const std::string& place, std::string_view sql) {
    std::int64_t number = 0;
    ForEach(place, sql,
            [&number](const SqliteRows& row) { number = row.Integer(0); });
    return number;
  }

  /// False: the rest would make no sense.
  bool CheckIdentity() {
    const std::string place = "the first page";
    const std::int64_t objects =
        Integer(place, "SELECT count(*) FROM sqlite_schema");
    if (!check_.good()) return false;
    const std::int64_t id = Integer(place, "PRAGMA application_id");
    check_.schema = Integer(place, "PRAGMA user_version");
    const SchemaIdentity known = KnownSchema();
    if (objects == 0) {
      Add("it has no tables: a copy of a file without its write-ahead log?");
    } else if (id != known.application_id) {
      Add("it is a database of another program");
    } else if (check_.schema > known.version) {
      throw Failure{"written by a newer torqued (schema " +
                    std::to_string(check_.schema) +
                    ", this version knows up to " +
                    std::to_string(known.version) + ")"};
    } else if (Integer(place,
                       "SELECT count(*) FROM sqlite_schema"
                       " WHERE type NOT IN ('table', 'index')") > 0) {
      Add("it has a view or a trigger, which no store has");
    }
    return check_.good();
  }

  void CheckPages() {
    ForEach("pages", "PRAGMA integrity_check(100)",
            [this](const SqliteRows& row) { CheckPageVerdict(row); });
  }

  /// One of the texts of SQLite about the pages.
  void CheckPageVerdict(const SqliteRows& row) {
    for (const std::string& finding : PageFindings(row.Text(0))) {
      Add("pages: " + finding);
    }
  }

  /// What leads from names to revisions, row by row. Columns that no later
  /// query reads are looked for here.
  void CheckTables() {
    check_.names = Integer("table names", "SELECT count(*) FROM names");
    if (check_.schema >= 3) return CheckChecksums();
    ForEach("table directory_files",
            "SELECT name, content_hash FROM directory_files WHERE 0", PassOver);
    ForEach("table history", "SELECT registered_at FROM history WHERE 0",
            PassOver);
  }

  void CheckChecksums() {
    for (const CheckedTable& table : kCheckedTables) {
      AddEach(Cat("table ", table.name),
              Cat("SELECT ", table.row, " FROM ", table.name,
                  " WHERE checksum IS NOT ", table.sum),
              RowIsAltered);
    }
  }

  void CheckRevisions() {
    const std::string_view layout = LayoutOfSchema(check_.schema);
    ForEach(
        "table revisions",
        "SELECT revision, format, source, options, created_at"
        " FROM revisions",
        [this, layout](const SqliteRows& row) { CheckRevision(row, layout); });
  }

  void CheckRevision(const SqliteRows& row, std::string_view layout) {
    ++check_.revisions;
    const std::string revision = row.Text(0);
    if (ComputeRevision(row.Text(1), row.Blob(2), row.Text(3), layout) ==
        revision) {
      return;
    }
    Add("revision " + revision + NamesOf(revision) +
        ": what is stored is not what was registered; its SHA-256 is another");
  }

  /// " of arm, hand"; empty where there is none.
  std::string NamesOf(const std::string& revision) {
    std::string names;
    ForEach(
        "table history", "SELECT name FROM history WHERE revision = ?1 LIMIT 5",
        [&names](const SqliteRows& row) {
          names += (names.empty() ? " of " : ", ") + row.Text(0);
        },
        revision);
    return names;
  }

  void CheckReferences() {
    AddEach("table names",
            "SELECT name, revision FROM names AS x WHERE NOT EXISTS"
            " (SELECT 1 FROM history AS h WHERE h.name = x.name"
            "  AND h.revision = x.revision)",
            NamePointsPastItsHistory);
    AddEach("table labels",
            "SELECT name, revision, label FROM labels AS x WHERE NOT EXISTS"
            " (SELECT 1 FROM history AS h WHERE h.name = x.name"
            "  AND h.revision = x.revision)",
            LabelPointsPastTheHistory);
    AddEach("table history",
            "SELECT name, revision FROM history AS x WHERE NOT EXISTS"
            " (SELECT 1 FROM revisions AS r WHERE r.revision = x.revision)",
            RevisionIsMissing);
    AddEach("table history",
            "SELECT DISTINCT name FROM history AS x WHERE NOT EXISTS"
            " (SELECT 1 FROM names AS n WHERE n.name = x.name)",
            NamePointsNowhere);
    AddEach("table revisions",
            "SELECT revision FROM revisions AS x WHERE NOT EXISTS"
            " (SELECT 1 FROM history AS h WHERE h.revision = x.revision)",
            NoNameHasIt);
    if (check_.schema < 2) return;
    AddEach("table former_revisions",
            "SELECT former, revision FROM former_revisions AS x WHERE NOT"
            " EXISTS (SELECT 1 FROM revisions AS r WHERE"
            "  r.revision = x.revision)",
            RevisionOfFormerIsMissing);
  }

  SqliteConnection& connection_;
  StoreCheck check_;
};

}  // namespace

std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop) {
  if (!IsPathOfStore(path)) return "not the path of a file";
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return error ? error.message() : "there is no such file";
  }
  if (!std::filesystem::is_regular_file(status)) return "is no regular file";
  auto opened = SqliteConnection::OpenToRead(path);
  if (auto* why = std::get_if<std::string>(&opened)) return std::move(*why);
  auto& connection = *std::get<std::unique_ptr<SqliteConnection>>(opened);
  connection.GiveUpWhen(&stop);
  connection.Execute(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  try {
    return Checker(connection).Check();
  } catch (const Failure& failure) {
    return failure.why;
  }
}

}  // namespace torqued::server
