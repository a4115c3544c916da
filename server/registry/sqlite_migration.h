// From older tables to those of this version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/registry/sqlite_connection.h"

namespace torqued::server {

/// Of the tables that this version writes. 1 held revisions of layout 1; 2
/// holds those of layout 2 and, in former_revisions, what they were before.
inline constexpr std::int64_t kSchemaVersion = 2;

/// The layout of the revisions in tables of a version up to kSchemaVersion.
std::string_view LayoutOfSchema(std::int64_t schema);

/// Brings tables of an older version to kSchemaVersion in one transaction: a
/// crash or an error in the middle leaves the file as it was. Names, labels,
/// times, sources and histories stay. A revision whose content does not fit it
/// is damaged and stays as it is. Nothing on success, else why not.
std::optional<std::string> MigrateSchema(SqliteConnection& connection,
                                         std::int64_t from);

/// The statement that creates the table of former revisions.
extern const char* const kCreateFormerRevisions;

}  // namespace torqued::server
