#include "server/registry/sqlite_writer.h"

#include <utility>

#include "server/registry/registration_rows.h"

namespace torqued::server {
namespace {

template <class... Values>
bool Run(SqliteStatement& statement, const Values&... values) {
  return SqliteRows(statement, values...).Finish();
}

/// Appends the first column of each row.
bool Collect(std::vector<std::string>& texts, SqliteStatement& statement,
             std::string_view value) {
  SqliteRows rows(statement, value);
  while (rows.Next()) texts.push_back(rows.Text(0));
  return rows.ok();
}

}  // namespace

bool SqliteWriter::Prepare() {
  return Count(models_, "SELECT count(*) FROM names") &&
         Count(revisions_, "SELECT count(*) FROM revisions") &&
         Count(page_bytes_, "PRAGMA page_size") &&
         Prepare(has_revision_,
                 "SELECT 1 FROM revisions WHERE revision = ?1") &&
         Prepare(has_label_,
                 "SELECT 1 FROM labels WHERE name = ?1 AND label = ?2") &&
         Prepare(count_labels_,
                 "SELECT count(*) FROM labels WHERE name = ?1") &&
         // Of the transaction under way, too.
         Prepare(used_pages_,
                 "SELECT (SELECT page_count FROM pragma_page_count) -"
                 " (SELECT freelist_count FROM pragma_freelist_count)") &&
         Prepare(find_current_, FindCurrentSql()) &&
         Prepare(find_former_,
                 "SELECT revision FROM former_revisions WHERE former = ?1 AND"
                 " checksum = row_checksum('former_revisions', former,"
                 "  revision)") &&
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
                 " WHERE (format, options, source) IS NOT"
                 "  (excluded.format, excluded.options, excluded.source)") &&
         Prepare(insert_history_,
                 "INSERT INTO history"
                 " (name, revision, registered_at, checksum)"
                 " VALUES (?1, ?2, ?3, row_checksum('history', ?1, ?2, ?3))"
                 " ON CONFLICT (name, revision) DO UPDATE SET"
                 "  registered_at = excluded.registered_at,"
                 "  checksum = excluded.checksum") &&
         Prepare(move_pointer_,
                 "INSERT INTO names (name, revision, checksum)"
                 " VALUES (?1, ?2, row_checksum('names', ?1, ?2))"
                 " ON CONFLICT (name) DO UPDATE SET"
                 "  revision = excluded.revision,"
                 "  checksum = excluded.checksum") &&
         Prepare(move_label_,
                 "INSERT INTO labels (name, label, revision, checksum)"
                 " VALUES (?1, ?2, ?3, row_checksum('labels', ?1, ?2, ?3))"
                 " ON CONFLICT (name, label) DO UPDATE SET"
                 "  revision = excluded.revision,"
                 "  checksum = excluded.checksum"
                 " WHERE (revision, checksum) IS NOT"
                 "  (excluded.revision, excluded.checksum)") &&
         Prepare(set_directory_hash_,
                 "INSERT INTO directory_files (name, content_hash, checksum)"
                 " VALUES (?1, ?2, row_checksum('directory_files', ?1, ?2))"
                 " ON CONFLICT (name) DO UPDATE SET"
                 "  content_hash = excluded.content_hash,"
                 "  checksum = excluded.checksum"
                 " WHERE (content_hash, checksum) IS NOT"
                 "  (excluded.content_hash, excluded.checksum)") &&
         Prepare(write_summary_,
                 "INSERT INTO summaries"
                 " (revision, format, nq, nv, problem, checksum)"
                 " SELECT ?1, ?2, ?3, ?4, ?5,"
                 "  row_checksum('summaries', ?1, ?2, ?3, ?4, ?5)"
                 " WHERE EXISTS (SELECT 1 FROM revisions WHERE revision = ?1)"
                 " ON CONFLICT (revision) DO UPDATE SET"
                 "  format = excluded.format,"
                 "  nq = excluded.nq,"
                 "  nv = excluded.nv,"
                 "  problem = excluded.problem,"
                 "  checksum = excluded.checksum"
                 " WHERE (format, nq, nv, problem, checksum) IS NOT"
                 "  (excluded.format, excluded.nq, excluded.nv,"
                 "   excluded.problem, excluded.checksum)") &&
         Prepare(delete_labels_, "DELETE FROM labels WHERE name = ?1") &&
         Prepare(delete_name_, "DELETE FROM names WHERE name = ?1") &&
         Prepare(delete_history_,
                 "DELETE FROM history WHERE name = ?1 RETURNING revision") &&
         Prepare(delete_orphan_,
                 // Whose history is damaged still has its contents.
                 "DELETE FROM revisions WHERE revision = ?1"
                 " AND NOT EXISTS"
                 "  (SELECT 1 FROM history WHERE revision = ?1)"
                 " AND NOT EXISTS (SELECT 1 FROM names WHERE revision = ?1)"
                 " AND NOT EXISTS (SELECT 1 FROM labels WHERE revision = ?1)"
                 " RETURNING revision");
}

RegistrationOutcome SqliteWriter::Register(const RegistrationChange& change) {
  SqliteTransaction transaction(*connection_);
  if (!transaction.open()) return error();
  std::optional<Registration> before;
  if (!FindCurrent(change.name, before)) return error();
  std::string current = before ? before->revision : "";
  bool holds = false;
  if (!Holds(change.expected_current, current, holds)) return error();
  if (!holds) return RevisionConflict{std::move(current)};
  Growth growth;
  if (!GrowthOf(change, current.empty(), growth)) return error();
  std::int64_t used = 0, uses = 0;
  if (!UsedPages(used)) return error();
  if (growth.revisions > 0) {
    // It may fill what is left of a page.
    growth.least_bytes =
        static_cast<std::int64_t>(change.source.size()) - page_bytes_;
  }
  if (auto reached = Exceeds(growth, used)) return *reached;
  const bool changed = current != change.revision;
  // What is damaged is written anew.
  const bool moves = changed || !before->damage.empty();
  if (!Write(change, moves)) return error();
  if (!UsedPages(uses)) return error();
  if (uses > used && uses * page_bytes_ > quotas_.bytes) {
    return QuotaReached{QuotaReached::Of::kBytes, quotas_.bytes};
  }
  std::optional<Registration> after;
  if (!FindCurrent(change.name, after) || !after) return error();
  if (!transaction.Commit()) return error();
  models_ += growth.models;
  revisions_ += growth.revisions;
  return Registered{std::move(*after), changed};
}

bool SqliteWriter::GrowthOf(const RegistrationChange& change, bool is_new,
                            Growth& growth) {
  growth.models = is_new ? 1 : 0;
  {
    SqliteRows rows(has_revision_, change.revision);
    growth.revisions = rows.Next() ? 0 : 1;
    if (!rows.ok()) return false;
  }
  if (change.label.empty()) return true;
  SqliteRows rows(has_label_, change.name, change.label);
  if (rows.Next()) return true;
  if (!rows.ok()) return false;
  SqliteRows count(count_labels_, change.name);
  if (count.Next()) growth.labels = count.Integer(0) + 1;
  return count.ok();
}

std::optional<QuotaReached> SqliteWriter::Exceeds(
    const Growth& growth, std::int64_t used_pages) const {
  using Of = QuotaReached::Of;
  if (growth.models > 0 && models_ >= quotas_.models) {
    return QuotaReached{Of::kModels, quotas_.models};
  }
  if (growth.revisions > 0 && revisions_ >= quotas_.revisions) {
    return QuotaReached{Of::kRevisions, quotas_.revisions};
  }
  if (growth.labels > StoreQuotas::kLabels) {
    return QuotaReached{Of::kLabels, StoreQuotas::kLabels};
  }
  // Not by this alone: what is written besides counts, too.
  if (growth.least_bytes > 0 &&
      used_pages * page_bytes_ > quotas_.bytes - growth.least_bytes) {
    return QuotaReached{Of::kBytes, quotas_.bytes};
  }
  return std::nullopt;
}

bool SqliteWriter::UsedPages(std::int64_t& pages) {
  SqliteRows rows(used_pages_);
  if (rows.Next()) pages = rows.Integer(0);
  return rows.ok();
}

bool SqliteWriter::Write(const RegistrationChange& change, bool moves) {
  const std::int64_t now = ToMicroseconds(change.now);
  return Run(insert_revision_, change.revision, change.format, change.options,
             SqliteBlob{change.source}, now) &&
         (!change.summary || WriteSummary(change.revision, *change.summary)) &&
         (!moves || (Run(insert_history_, change.name, change.revision, now) &&
                     Run(move_pointer_, change.name, change.revision))) &&
         (change.label.empty() ||
          Run(move_label_, change.name, change.label, change.revision)) &&
         (!change.directory_hash ||
          Run(set_directory_hash_, change.name, *change.directory_hash));
}

std::variant<Deleted, NameNotFound, RevisionConflict, StoreError>
SqliteWriter::Delete(std::string_view name,
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
  // One that points nowhere was not counted.
  if (!before->revision.empty()) --models_;
  revisions_ -= static_cast<std::int64_t>(deleted.removed_revisions.size());
  return deleted;
}

std::optional<StoreError> SqliteWriter::SetDirectoryHash(
    std::string_view name, std::string_view hash) {
  if (!Run(set_directory_hash_, name, hash)) return error();
  return std::nullopt;
}

std::optional<StoreError> SqliteWriter::WriteSummaries(
    const Summaries& summaries) {
  SqliteTransaction transaction(*connection_);
  if (!transaction.open()) return error();
  for (const auto& [revision, summary] : summaries) {
    if (!WriteSummary(revision, summary)) return error();
  }
  if (!transaction.Commit()) return error();
  return std::nullopt;
}

bool SqliteWriter::Count(std::int64_t& number, std::string_view sql) {
  SqliteStatement query;
  if (!Prepare(query, sql)) return false;
  SqliteRows rows(query);
  if (rows.Next()) number = rows.Integer(0);
  return rows.ok();
}

bool SqliteWriter::FindCurrent(std::string_view name,
                               std::optional<Registration>& found) {
  SqliteRows rows(find_current_, name);
  if (rows.Next()) found = ReadRegistration(rows);
  return rows.ok();
}

bool SqliteWriter::Holds(std::optional<std::string_view> expected,
                         const std::string& current, bool& holds) {
  holds = !expected || *expected == current;
  if (holds) return true;
  SqliteRows rows(find_former_, *expected);
  if (rows.Next()) holds = rows.Text(0) == current;
  return rows.ok();
}

bool SqliteWriter::WriteSummary(std::string_view revision,
                                const RevisionSummary& summary) {
  return Run(write_summary_, revision, summary.format, summary.nq, summary.nv,
             summary.problem);
}

}  // namespace torqued::server
