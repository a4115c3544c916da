// The tables in an SQLite file of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/registry/sqlite_connection.h"

namespace torqued::server {

/// What marks a file of this version's tables.
struct SchemaIdentity {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
};
SchemaIdentity KnownSchema();

/// Configures the connection and creates the tables in an empty file, or checks
/// that a file is whole and of a version that this program knows, and brings
/// the tables of an older one to this. Any other file is left byte for byte as
/// it is. Nothing on success, else a sentence fragment that fits after the path
/// and a colon. `unmended`: why damage of former_revisions could not be mended,
/// or nothing; the rows are told as damaged when they are read.
std::optional<std::string> PrepareSqliteSchema(
    SqliteConnection& connection, std::optional<std::string>& unmended);

}  // namespace torqued::server
