// A thin layer over SQLite. All failures throw StoreError.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/registry/registry_error.h"

namespace torqued::server {

/// One run of a statement, with its current row. Columns count from 0.
class SqliteRun {
 public:
  SqliteRun(sqlite3* connection, std::string_view sql);

  /// The values of ?1, ?2, ...; the text must outlive the run.
  void Bind(int index, std::string_view text);
  void Bind(int index, std::int64_t value);
  /// False at the end.
  bool Next();

  /// Also of a blob. NULL is empty, or 0.
  std::string Text(int column) const;
  std::int64_t Integer(int column) const;

 private:
  sqlite3* const connection_;
  std::shared_ptr<sqlite3_stmt> statement_;
};

inline std::string FirstText(const SqliteRun& row) { return row.Text(0); }
inline auto FirstInteger(const SqliteRun& row) { return row.Integer(0); }

/// Thread-safe: one statement, or one transaction, at a time.
class SqliteConnection {
 public:
  /// Reads nothing yet. The last connection to close leaves the write-ahead log
  /// as it is, unless one has called CopyLogOnClose.
  explicit SqliteConnection(const std::string& path,
                            int flags = SQLITE_OPEN_READWRITE |
                                        SQLITE_OPEN_CREATE);
  void CopyLogOnClose();

  /// Statements fail once `stop`, unless empty, returns true. `stop` lives on.
  void StopWhen(const std::function<bool()>& stop);

  /// Runs statements without parameters; their rows are dropped.
  void Execute(const std::string& sql);

  /// Returns the result of `run`. Undone if it throws. Takes the write lock at
  /// once, so that what is read still holds when it writes.
  template <class Body>
  auto Transact(const Body& run) {
    const std::lock_guard lock(mutex_);
    Execute("BEGIN IMMEDIATE");
    try {
      auto result = run();
      Execute("COMMIT");
      return result;
    } catch (...) {
      // Fails where the failure has undone it already.
      sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  /// Runs a statement unless another call is running.
  template <class... Values>
  void TryRun(std::string_view sql, const Values&... values) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) Run(sql, values...);
  }

  /// Calls `read` with each row, as a SqliteRun. `values` are bound in order.
  template <class Read, class... Values>
  void ForEach(const Read& read, std::string_view sql,
               const Values&... values) {
    const std::lock_guard lock(mutex_);
    SqliteRun run(handle_.get(), sql);
    [[maybe_unused]] int index = 0;
    (run.Bind(++index, values), ...);
    while (run.Next()) read(run);
  }

  /// The results of `read` for each row.
  template <class Read, class... Values>
  auto All(const Read& read, std::string_view sql, const Values&... values) {
    std::vector<decltype(read(std::declval<const SqliteRun&>()))> found;
    ForEach([&](const SqliteRun& row) { found.push_back(read(row)); }, sql,
            values...);
    return found;
  }

  /// The same of the first row only, or a default.
  template <class Read, class... Values>
  auto One(const Read& read, std::string_view sql, const Values&... values) {
    auto found = All(read, sql, values...);
    if (found.empty()) found.emplace_back();
    return std::move(found.front());
  }

  template <class... Values>
  void Run(std::string_view sql, const Values&... values) {
    ForEach([](const SqliteRun&) {}, sql, values...);
  }

 private:
  std::recursive_mutex mutex_;
  std::shared_ptr<sqlite3> handle_;
};

}  // namespace torqued::server
