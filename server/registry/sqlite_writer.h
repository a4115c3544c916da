// What registration and deletion do to the tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/registry/model_store.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_statement.h"

namespace torqued::server {

/// Not thread-safe. Members do what those of ModelStore do; see there.
class SqliteWriter {
 public:
  SqliteWriter(std::unique_ptr<SqliteConnection> connection,
               const StoreQuotas& quotas)
      : connection_(std::move(connection)), quotas_(quotas) {}

  /// Why the last call failed.
  StoreError error() const { return connection_->error(); }

  bool Prepare();

  RegistrationOutcome Register(const RegistrationChange& change);

  std::variant<Deleted, NameNotFound, RevisionConflict, StoreError> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current);

  std::optional<StoreError> SetDirectoryHash(std::string_view name,
                                             std::string_view hash);

  std::optional<StoreError> WriteSummaries(const Summaries& summaries);

 private:
  bool Prepare(SqliteStatement& statement, std::string_view sql) {
    return statement.Prepare(connection_->handle(), sql);
  }

  bool FindCurrent(std::string_view name, std::optional<Registration>& found);
  /// Whether the current revision is the expected one, or what that was in an
  /// older layout.
  bool Holds(std::optional<std::string_view> expected,
             const std::string& current, bool& holds);
  bool WriteSummary(std::string_view revision, const RevisionSummary& summary);
  /// The rows of a change; `moves`: the name is to be pointed at the revision.
  bool Write(const RegistrationChange& change, bool moves);

  /// What a registration adds to what the quotas count.
  struct Growth {
    std::int64_t models = 0;
    std::int64_t revisions = 0;
    std::int64_t labels = 0;  // those of the name then, or 0 without a new one
    std::int64_t least_bytes = 0;  // at least so many more are used then
  };
  /// Before anything is written.
  bool GrowthOf(const RegistrationChange& change, bool is_new, Growth& growth);
  std::optional<QuotaReached> Exceeds(const Growth& growth,
                                      std::int64_t used_pages) const;
  bool UsedPages(std::int64_t& pages);
  /// The one number of a query.
  bool Count(std::int64_t& number, std::string_view sql);

  // Statements go before the connection they belong to.
  std::unique_ptr<SqliteConnection> connection_;
  const StoreQuotas quotas_;
  // Counted once: a store has one writer.
  std::int64_t models_ = 0;
  std::int64_t revisions_ = 0;
  std::int64_t page_bytes_ = 0;
  SqliteStatement has_revision_;
  SqliteStatement has_label_;
  SqliteStatement count_labels_;
  SqliteStatement used_pages_;
  SqliteStatement find_current_;
  SqliteStatement find_former_;
  SqliteStatement insert_revision_;
  SqliteStatement insert_history_;
  SqliteStatement move_pointer_;
  SqliteStatement move_label_;
  SqliteStatement set_directory_hash_;
  SqliteStatement write_summary_;
  SqliteStatement delete_labels_;
  SqliteStatement delete_name_;
  SqliteStatement delete_history_;
  SqliteStatement delete_orphan_;
};

}  // namespace torqued::server
