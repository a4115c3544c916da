#include "server/registry/sqlite_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/model/text.h"
#include "server/registry/registration_rows.h"

namespace torqued::server {
namespace {

// Least text after all that start with a prefix of hex digits.
std::string AfterPrefix(std::string_view prefix) {
  return std::string(prefix) + 'g';
}

std::int64_t ToInteger(std::size_t limit) {
  return static_cast<std::int64_t>(limit);
}

std::string FirstText(const SqliteRows& row) { return row.Text(0); }

StoredRevision ReadStored(const SqliteRows& row) {
  return {.revision = row.Text(0),
          .format = row.Text(1),
          .source = row.Blob(2),
          .options = row.Text(3),
          .created_at = ToTime(row.Integer(4)),
          .summary = ReadSummary(row, 5)};
}

/// The first row, if there is one.
template <class Read>
auto One(SqliteRows& rows, const SqliteReader& reader, Read read)
    -> OrStoreError<std::optional<decltype(read(rows))>> {
  std::optional<decltype(read(rows))> found;
  if (rows.Next()) found = read(rows);
  if (!rows.ok()) return reader.error();
  return found;
}

template <class Read>
auto All(SqliteRows& rows, const SqliteReader& reader, Read read)
    -> OrStoreError<std::vector<decltype(read(rows))>> {
  std::vector<decltype(read(rows))> found;
  while (rows.Next()) found.push_back(read(rows));
  if (!rows.ok()) return reader.error();
  return found;
}

}  // namespace

bool SqliteReader::Prepare() {
  return connection_->Execute("PRAGMA query_only = ON") &&
         Prepare(find_current_, FindCurrentSql()) &&
         Prepare(find_label_,
                 SelectLabelled() + " WHERE x.name = ?1 AND x.label = ?2") &&
         Prepare(find_in_history_,
                 SelectInHistory() +
                     " WHERE h.name = ?1 AND (h.revision >= ?2"
                     "  AND h.revision < ?3 OR h.revision IN"
                     "  (SELECT f.revision FROM former_revisions AS f"
                     "   WHERE f.former >= ?2 AND f.former < ?3))"
                     " ORDER BY h.revision LIMIT ?4") &&
         Prepare(find_revisions_,
                 Cat("SELECT revision, 0 FROM revisions"
                     " WHERE revision >= ?1 AND revision < ?2 UNION ",
                     SelectFormer(),
                     " WHERE f.former >= ?1 AND f.former < ?2"
                     " ORDER BY 1 LIMIT ?3")) &&
         Prepare(source_bytes_,
                 "SELECT length(source) FROM revisions WHERE revision = ?1") &&
         Prepare(read_revision_,
                 Cat("SELECT r.revision, r.format, r.source, r.options,"
                     " r.created_at, ",
                     SummaryColumns(),
                     " FROM revisions AS r LEFT JOIN summaries AS s"
                     "  ON s.revision = r.revision WHERE r.revision = ?1")) &&
         Prepare(
             list_names_,
             SelectListed() + " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2") &&
         Prepare(names_before_,
                 "SELECT name FROM names WHERE name < ?1"
                 " ORDER BY name DESC LIMIT ?2") &&
         Prepare(names_from_,
                 "SELECT name FROM names WHERE name >= ?1"
                 " ORDER BY name LIMIT ?2") &&
         Prepare(find_directory_hash_,
                 "SELECT content_hash, checksum = row_checksum("
                 "'directory_files', name, content_hash)"
                 " FROM directory_files WHERE name = ?1");
}

OrStoreError<std::optional<Registration>> SqliteReader::FindCurrent(
    std::string_view name) {
  SqliteRows rows(find_current_, name);
  return One(rows, *this, ReadRegistration);
}

OrStoreError<std::optional<Registration>> SqliteReader::FindLabel(
    std::string_view name, std::string_view label) {
  SqliteRows rows(find_label_, name, label);
  return One(rows, *this, ReadRegistration);
}

OrStoreError<std::vector<Registration>> SqliteReader::FindInHistory(
    std::string_view name, std::string_view prefix, std::size_t limit) {
  const std::string end = AfterPrefix(prefix);
  SqliteRows rows(find_in_history_, name, prefix, end, ToInteger(limit));
  return All(rows, *this, ReadRegistration);
}

OrStoreError<std::vector<FoundRevision>> SqliteReader::FindRevisions(
    std::string_view prefix, std::size_t limit) {
  const std::string end = AfterPrefix(prefix);
  SqliteRows rows(find_revisions_, prefix, end, ToInteger(limit));
  return All(rows, *this, ReadFoundRevision);
}

OrStoreError<std::optional<std::int64_t>> SqliteReader::SourceBytes(
    std::string_view revision) {
  SqliteRows rows(source_bytes_, revision);
  return One(rows, *this, [](const SqliteRows& row) { return row.Integer(0); });
}

OrStoreError<std::optional<StoredRevision>> SqliteReader::ReadRevision(
    std::string_view revision) {
  SqliteRows rows(read_revision_, revision);
  return One(rows, *this, ReadStored);
}

OrStoreError<std::vector<ListedName>> SqliteReader::ListNames(
    std::string_view after, std::size_t limit) {
  SqliteRows rows(list_names_, after, ToInteger(limit));
  return All(rows, *this, ReadListedName);
}

OrStoreError<std::vector<std::string>> SqliteReader::NamesAround(
    std::string_view name, std::size_t limit) {
  SqliteRows before(names_before_, name, ToInteger(limit));
  auto names = All(before, *this, FirstText);
  auto* first = std::get_if<std::vector<std::string>>(&names);
  if (first == nullptr) return names;
  SqliteRows from(names_from_, name, ToInteger(limit));
  auto others = All(from, *this, FirstText);
  auto* last = std::get_if<std::vector<std::string>>(&others);
  if (last == nullptr) return others;
  // Half of them on each side, more where the other side has fewer.
  const std::size_t half = limit / 2;
  const std::size_t ahead = std::min(
      first->size(), std::max(half, limit - std::min(limit, last->size())));
  first->resize(ahead);
  last->resize(std::min(last->size(), limit - ahead));
  std::reverse(first->begin(), first->end());
  std::move(last->begin(), last->end(), std::back_inserter(*first));
  return names;
}

OrStoreError<std::optional<std::string>> SqliteReader::FindDirectoryHash(
    std::string_view name) {
  SqliteRows rows(find_directory_hash_, name);
  std::optional<std::string> hash;
  if (rows.Next()) {
    if (rows.Integer(1) == 0) {
      return StoreError{StoreError::Code::kDamaged,
                        "the note of what was loaded for the name from a "
                        "directory is not what was stored"};
    }
    hash = rows.Text(0);
  }
  if (!rows.ok()) return error();
  return hash;
}

}  // namespace torqued::server
