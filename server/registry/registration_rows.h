// How registrations and summaries are read from the tables, and what is damaged
// on the way to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/registry/model_store.h"
#include "server/registry/sqlite_statement.h"

namespace torqued::server {

/// SELECT and FROM of current registrations: `n` is a row of names. Columns as
/// ReadRegistration takes them.
std::string SelectCurrent();
/// The same of labels: `x` is a row of labels.
std::string SelectLabelled();
/// The same of a name's history: `h` is a row of it. ?2 and ?3 are the bounds
/// of a prefix, which an entry has itself or had in an older layout.
std::string SelectInHistory();
/// SELECT and FROM of current registrations with their summaries, without
/// labels: `n` is a row of names. Columns as ReadListedName takes them.
std::string SelectListed();
/// Of former revisions: `f` is a row of them. Two columns: revision, damage.
std::string SelectFormer();

/// A statement for one name, ?1. A name that has a history and points nowhere
/// is a row, too.
std::string FindCurrentSql();

Registration ReadRegistration(const SqliteRows& row);
ListedName ReadListedName(const SqliteRows& row);
FoundRevision ReadFoundRevision(const SqliteRows& row);

/// The columns of summaries `s`, LEFT JOINed, that ReadSummary takes.
std::string SummaryColumns();
/// Nothing where there is none or it is damaged.
std::optional<RevisionSummary> ReadSummary(const SqliteRows& row, int first);

std::int64_t ToMicroseconds(StoreTime time);
StoreTime ToTime(std::int64_t microseconds);

}  // namespace torqued::server
