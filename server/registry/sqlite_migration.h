// From older tables to those of this version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/registry/sqlite_connection.h"

namespace torqued::server {

/// Of the tables that this version writes. 1 held revisions of layout 1; 2
/// those of layout 2 and, in former_revisions, what they were before; 3 has a
/// checksum in each row that leads to a revision, and the table summaries.
inline constexpr std::int64_t kSchemaVersion = 3;

/// The layout of the revisions in tables of a version up to kSchemaVersion.
std::string_view LayoutOfSchema(std::int64_t schema);

/// Brings tables of an older version to kSchemaVersion in one transaction: a
/// crash or an error in the middle leaves the file as it was. Names, labels,
/// times, sources and histories stay. A revision whose content does not fit it
/// is damaged and stays as it is. No summaries are made: that takes loading the
/// models. Nothing on success, else why not.
std::optional<std::string> MigrateSchema(SqliteConnection& connection,
                                         std::int64_t from);

/// Rows of former_revisions that are not what was stored: what the revisions
/// that they touch were in layout 1 is computed again, and the rows are written
/// anew. One that fits no revision goes; it led nowhere. Reads all sources
/// where there is such a row. Nothing on success, else why not; the rows are as
/// they were then.
std::optional<std::string> MendFormerRevisions(SqliteConnection& connection);

/// What versions 2 and 3 added to the tables of version 1, in one transaction
/// of the caller. The tables of a new file are made in the same way.
bool AddFormerRevisions(SqliteConnection& connection);
bool AddChecksumsAndSummaries(SqliteConnection& connection);

}  // namespace torqued::server
