// Prepared SQLite statements: values in, rows out.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace torqued::server {

/// Bytes that are not text.
struct SqliteBlob {
  std::string_view bytes;
};

/// May live no longer than its connection.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  /// False: the connection says why.
  bool Prepare(sqlite3* connection, std::string_view sql);

 private:
  friend class SqliteRows;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const {
      sqlite3_finalize(statement);
    }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// One run of a statement: binds its parameters ?1, ?2, ... in order, gives the
/// rows one by one, and makes the statement free for the next run when it goes.
/// What is bound must outlive it; nothing is copied.
class SqliteRows {
 public:
  template <class... Values>
  explicit SqliteRows(SqliteStatement& statement, const Values&... values)
      : handle_(statement.handle_.get()) {
    [[maybe_unused]] int index = 0;
    (Bind(++index, values), ...);
  }
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  /// False at the end and on failure.
  bool Next();
  /// For statements that give no rows.
  bool Finish();
  /// True unless something failed; the connection says what.
  bool ok() const { return result_ == SQLITE_OK; }

  /// Of the current row; columns count from 0. NULL is empty or 0.
  std::string Text(int column) const;
  std::string Blob(int column) const;
  std::int64_t Integer(int column) const;

 private:
  void Bind(int index, std::string_view text);
  void Bind(int index, SqliteBlob blob);
  void Bind(int index, std::int64_t value);

  sqlite3_stmt* handle_;
  int result_ = SQLITE_OK;
};

}  // namespace torqued::server
