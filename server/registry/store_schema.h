// The tables of a model store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/registry/sqlite.h"

namespace torqued::server {

/// In the header of every store: application_id, and user_version. Schema 3
/// had a checksum in each row and the table former_revisions.
inline constexpr std::int64_t kApplicationId = 0x74717264;  // "tqrd"
inline constexpr std::int64_t kSchemaVersion = 4;
inline constexpr std::int64_t kOldestSchema = 3;

/// Why a file that holds `schema` cannot be used; empty if it can.
std::string WhyNotSchema(std::int64_t schema);

/// Configures the connection. Creates the tables in an empty file, or checks
/// that the file is whole and brings the tables of schema 3 to this version, in
/// one transaction. Any other file is left byte for byte as it is. Nothing on
/// success, else a clause.
std::optional<std::string> PrepareSchema(SqliteConnection& connection);

}  // namespace torqued::server
