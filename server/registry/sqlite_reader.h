// Look-ups in the tables.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/registry/model_store.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_statement.h"

namespace torqued::server {

/// Not thread-safe. Members do what those of ModelStore do; see there. Each is
/// one statement and so sees one state, but for NamesAround, which sees two.
class SqliteReader {
 public:
  explicit SqliteReader(std::unique_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)) {}

  /// Why the last call failed.
  StoreError error() const { return connection_->error(); }

  bool Prepare();

  OrStoreError<std::optional<Registration>> FindCurrent(std::string_view name);
  OrStoreError<std::optional<Registration>> FindLabel(std::string_view name,
                                                      std::string_view label);
  OrStoreError<std::vector<Registration>> FindInHistory(std::string_view name,
                                                        std::string_view prefix,
                                                        std::size_t limit);
  OrStoreError<std::vector<FoundRevision>> FindRevisions(
      std::string_view prefix, std::size_t limit);
  OrStoreError<std::optional<std::int64_t>> SourceBytes(
      std::string_view revision);
  OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision);
  OrStoreError<std::vector<ListedName>> ListNames(std::string_view after,
                                                  std::size_t limit);
  OrStoreError<std::vector<std::string>> NamesAround(std::string_view name,
                                                     std::size_t limit);
  OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name);

 private:
  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_->handle(), sql);
  }

  std::unique_ptr<SqliteConnection> connection_;
  SqliteStatement find_current_;
  SqliteStatement find_label_;
  SqliteStatement find_in_history_;
  SqliteStatement find_revisions_;
  SqliteStatement source_bytes_;
  SqliteStatement read_revision_;
  SqliteStatement list_names_;
  SqliteStatement names_before_;
  SqliteStatement names_from_;
  SqliteStatement find_directory_hash_;
};

}  // namespace torqued::server
