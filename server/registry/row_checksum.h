// Checksums of the rows that lead from names to revisions.
#pragma once

#include <sqlite3.h>

#include <array>
#include <string_view>

namespace torqued::server {

/// A table whose rows carry the checksum of their other columns, in the column
/// `checksum`. Revisions are not among them: each is a hash of its content.
struct CheckedTable {
  std::string_view name;
  std::string_view row;  // an expression: a row, for people
  std::string_view sum;  // an expression: what its checksum should be
};

/// The name of the table is part of the sum: a row is good in its place only.
inline constexpr std::array<CheckedTable, 6> kCheckedTables{{
    {"names", "'name ' || name", "row_checksum('names', name, revision)"},
    {"history", "'name ' || name || ', revision ' || revision",
     "row_checksum('history', name, revision, registered_at)"},
    {"labels", "'label ' || name || '@' || label",
     "row_checksum('labels', name, label, revision)"},
    {"directory_files", "'file of ' || name",
     "row_checksum('directory_files', name, content_hash)"},
    {"former_revisions", "'former revision ' || former",
     "row_checksum('former_revisions', former, revision)"},
    {"summaries", "'summary of revision ' || revision",
     "row_checksum('summaries', revision, format, nq, nv, problem)"},
}};

/// Gives a connection the function row_checksum of any number of texts and
/// integers: 64 bits of FNV-1a over each value behind its length. It finds what
/// an accident has changed; whoever writes the file on purpose can write it,
/// too.
bool AddRowChecksum(sqlite3* connection);

}  // namespace torqued::server
