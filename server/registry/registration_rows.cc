#include "server/registry/registration_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/model/text.h"

namespace torqued::server {
namespace {

// What may be damaged, in the order in which it is looked for.
enum Damage : std::uint8_t {
  kNone,
  kAltered,
  kNotInHistory,
  kHistoryAltered,
  kRevisionMissing,
  kPointsNowhere,
  kFormerAltered,
};

constexpr std::array<std::string_view, 7> kDamageTexts{
    "",
    "what the name or the label points at is not what was stored",
    "the name or the label points at a revision that is not in its history",
    "an entry of the name's history is not what was stored",
    "the revision that the name or the label points at is missing",
    "the name has a history and points at nothing",
    "a revision of an older layout leads elsewhere than was stored",
};

std::string DamageText(std::int64_t number) {
  const auto index = static_cast<std::size_t>(number);
  return std::string(index < kDamageTexts.size() ? kDamageTexts[index] : "");
}

std::string Is(Damage damage) {
  return " THEN " + std::to_string(static_cast<int>(damage));
}

/// A CASE that gives a Damage. `row` leads to the row h of history, if there is
/// one; `altered` is a condition under which it does not lead there by right.
std::string DamageColumn(std::string_view row, std::string_view altered,
                         Damage as = kAltered) {
  return Cat("CASE WHEN ", altered, Is(as), " WHEN h.name IS NULL",
             Is(kNotInHistory),
             " WHEN h.checksum IS NOT"
             " row_checksum('history', h.name, h.revision, h.registered_at)",
             Is(kHistoryAltered),
             " WHEN NOT EXISTS (SELECT 1 FROM revisions AS r WHERE"
             "  r.revision = ",
             row, ".revision)", Is(kRevisionMissing), " ELSE 0 END");
}

// A checksum that is NULL is altered as well.
constexpr std::string_view kNameAltered =
    "n.checksum IS NOT row_checksum('names', n.name, n.revision)";
constexpr std::string_view kLabelAltered =
    "x.checksum IS NOT row_checksum('labels', x.name, x.label, x.revision)";
constexpr std::string_view kFormerIsAltered =
    "f.checksum IS NOT row_checksum('former_revisions', f.former, f.revision)";

// Those that are as they were stored.
std::string LabelsOf(std::string_view row) {
  return Cat(
      "(SELECT group_concat(l.label, ' ') FROM labels AS l WHERE l.name"
      " = ",
      row, ".name AND l.revision = ", row,
      ".revision AND l.checksum IS"
      " row_checksum('labels', l.name, l.label, l.revision))");
}

std::string Select(std::string_view row, std::string_view damage,
                   std::string_view from) {
  return Cat("SELECT ", row, ".name, ", row, ".revision, h.registered_at, ",
             LabelsOf(row), ", ", damage, " FROM ", from);
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

}  // namespace

std::string SelectCurrent() {
  return Select("n", DamageColumn("n", kNameAltered),
                "names AS n LEFT JOIN history AS h USING (name, revision)");
}

std::string SelectLabelled() {
  return Select("x", DamageColumn("x", kLabelAltered),
                "labels AS x LEFT JOIN history AS h USING (name, revision)");
}

std::string SelectInHistory() {
  // One that is here for a former revision alone, which may be altered.
  const std::string former_altered =
      Cat("NOT (h.revision >= ?2 AND h.revision < ?3) AND EXISTS"
          " (SELECT 1 FROM former_revisions AS f WHERE f.former >= ?2"
          "  AND f.former < ?3 AND f.revision = h.revision AND ",
          kFormerIsAltered, ")");
  return Select("h", DamageColumn("h", former_altered, kFormerAltered),
                "history AS h");
}

std::string SelectListed() {
  return Cat("SELECT n.name, n.revision, h.registered_at, ",
             DamageColumn("n", kNameAltered), ", ", SummaryColumns(),
             " FROM names AS n LEFT JOIN history AS h USING (name, revision)"
             " LEFT JOIN summaries AS s ON s.revision = n.revision");
}

std::string SelectFormer() {
  return Cat("SELECT f.revision, CASE WHEN ", kFormerIsAltered,
             Is(kFormerAltered), " ELSE 0 END FROM former_revisions AS f");
}

std::string FindCurrentSql() {
  return Cat(SelectCurrent(),
             " WHERE n.name = ?1 UNION ALL SELECT ?1, '', 0, '', ",
             std::to_string(static_cast<int>(kPointsNowhere)),
             " WHERE NOT EXISTS (SELECT 1 FROM names WHERE name = ?1)"
             "  AND EXISTS (SELECT 1 FROM history WHERE name = ?1)");
}

Registration ReadRegistration(const SqliteRows& row) {
  return {.name = row.Text(0),
          .revision = row.Text(1),
          .registered_at = ToTime(row.Integer(2)),
          .labels = SplitLabels(row.Text(3)),
          .damage = DamageText(row.Integer(4))};
}

ListedName ReadListedName(const SqliteRows& row) {
  return {.name = row.Text(0),
          .revision = row.Text(1),
          .registered_at = ToTime(row.Integer(2)),
          .damage = DamageText(row.Integer(3)),
          .summary = ReadSummary(row, 4)};
}

FoundRevision ReadFoundRevision(const SqliteRows& row) {
  return {.revision = row.Text(0), .damage = DamageText(row.Integer(1))};
}

std::string SummaryColumns() {
  return "s.checksum = row_checksum('summaries', s.revision, s.format, s.nq,"
         " s.nv, s.problem), s.format, s.nq, s.nv, s.problem";
}

std::optional<RevisionSummary> ReadSummary(const SqliteRows& row, int first) {
  // NULL where there is none.
  if (row.Integer(first) == 0) return std::nullopt;
  return RevisionSummary{.format = row.Text(first + 1),
                         .nq = row.Integer(first + 2),
                         .nv = row.Integer(first + 3),
                         .problem = row.Text(first + 4)};
}

std::int64_t ToMicroseconds(StoreTime time) {
  return time.time_since_epoch().count();
}

StoreTime ToTime(std::int64_t microseconds) {
  return StoreTime(std::chrono::microseconds(microseconds));
}

}  // namespace torqued::server
