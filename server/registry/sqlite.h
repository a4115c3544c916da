// A thin layer over SQLite. Whatever fails throws StoreError.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/registry/registry_error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace torqued::server {

/// One run of a statement, with its current row. Columns count from 0.
class SqliteRun {
 public:
  SqliteRun(sqlite3* connection, std::string_view sql);

  /// Of ?1, ?2, ...; the text must outlive the run.
  void Bind(int index, std::string_view text);
  void Bind(int index, std::int64_t value);
  /// False at the end.
  bool Next();

  /// Also of a blob; NULL is empty.
  std::string Text(int column) const;
  /// NULL is 0.
  std::int64_t Integer(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* const connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Not thread-safe: its owner serializes calls.
class SqliteConnection {
 public:
  enum class Mode : std::uint8_t { kReadOnly, kReadWrite };

  /// kReadWrite creates the file if it is not there. Reads nothing yet.
  SqliteConnection(const std::string& path, Mode mode);

  /// Checks foreign keys and waits for the disk at each commit.
  void Configure();

  /// The last connection to close copies the write-ahead log into the file,
  /// unless this is false.
  void CopyLogOnClose(bool copy);

  /// Statements fail once `stop`, if there is one, returns true. It must stay
  /// valid.
  void StopWhen(const std::function<bool()>& stop);

  /// Runs statements without parameters; their rows are dropped.
  void Execute(const char* sql);

  /// Does nothing without a transaction.
  void RollBack();

  /// Calls `read` with each row, as a SqliteRun. `values` are bound in order.
  template <class Read, class... Values>
  void ForEach(const Read& read, std::string_view sql,
               const Values&... values) {
    SqliteRun run(handle_.get(), sql);
    [[maybe_unused]] int index = 0;
    (run.Bind(++index, values), ...);
    while (run.Next()) read(run);
  }

  /// What `read` makes of each row.
  template <class Read, class... Values>
  auto All(const Read& read, std::string_view sql, const Values&... values) {
    std::vector<decltype(read(std::declval<const SqliteRun&>()))> found;
    ForEach([&](const SqliteRun& row) { found.push_back(read(row)); }, sql,
            values...);
    return found;
  }

  /// The first column of the last row; empty or 0 if there is none.
  template <class... Values>
  std::string Text(std::string_view sql, const Values&... values) {
    std::string text;
    ForEach([&](const SqliteRun& row) { text = row.Text(0); }, sql, values...);
    return text;
  }
  template <class... Values>
  std::int64_t Integer(std::string_view sql, const Values&... values) {
    std::int64_t number = 0;
    ForEach([&](const SqliteRun& row) { number = row.Integer(0); }, sql,
            values...);
    return number;
  }

  template <class... Values>
  void Run(std::string_view sql, const Values&... values) {
    ForEach([](const SqliteRun&) {}, sql, values...);
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Undone on destruction unless committed. Takes the write lock at once, so
/// that what it reads still holds when it writes.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteConnection& connection)
      : connection_(connection) {
    connection.Execute("BEGIN IMMEDIATE");
  }
  ~SqliteTransaction() { connection_.RollBack(); }
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void Commit() { connection_.Execute("COMMIT"); }

 private:
  SqliteConnection& connection_;
};

}  // namespace torqued::server
