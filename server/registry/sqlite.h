// A thin layer over SQLite: connections, transactions, rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace torqued::server {

struct StoreError {
  enum class Code : std::uint8_t {
    kUnavailable,  // may pass: locked, disk full
    kDamaged,      // will not: what is stored cannot be read
  };
  Code code = Code::kUnavailable;
  std::string message;
};

/// Not thread-safe: its owner serializes calls.
class SqliteConnection {
 public:
  enum class Mode : std::uint8_t { kReadOnly, kReadWrite };

  /// kReadWrite creates the file if it is not there. Reads nothing yet. The
  /// string says why the file cannot be opened.
  static std::variant<std::unique_ptr<SqliteConnection>, std::string> Open(
      const std::string& path, Mode mode);

  /// Checks foreign keys and waits for the disk at each commit. Fails for a
  /// file that is no database.
  bool Configure();

  /// The last connection to close copies the write-ahead log into the file,
  /// unless this is false.
  void CopyLogOnClose(bool copy);

  /// Statements fail once `*stop` returns true. `stop` must stay valid.
  void StopWhen(const std::function<bool()>* stop);

  /// Runs statements without parameters; their rows are dropped.
  bool Execute(const char* sql);

  /// Why the last call on this connection failed.
  StoreError error() const;

 private:
  friend class SqliteRows;
  friend class SqliteTransaction;

  struct Close {
    void operator()(sqlite3* handle) const;
    void operator()(sqlite3_stmt* statement) const;
  };

  explicit SqliteConnection(sqlite3* handle) : handle_(handle) {}
  /// Null on failure. Compiles each text once.
  sqlite3_stmt* Prepare(std::string_view sql);

  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<std::string_view, std::unique_ptr<sqlite3_stmt, Close>>
      statements_;  // go before the connection
};

/// Undone on destruction unless committed. Takes the write lock at once, so
/// that what it reads still holds when it writes.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteConnection& connection)
      : connection_(connection), open_(connection.Execute("BEGIN IMMEDIATE")) {}
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  bool open() const { return open_; }
  bool Commit();

 private:
  SqliteConnection& connection_;
  bool open_;
};

/// Bytes that are not text.
struct SqliteBlob {
  std::string_view bytes;
};

/// One run of a statement: binds ?1, ?2, ... in order and gives the rows one by
/// one. `sql` must outlive the connection; values must outlive the run.
class SqliteRows {
 public:
  template <class... Values>
  SqliteRows(SqliteConnection& connection, std::string_view sql,
             const Values&... values)
      : SqliteRows(connection.Prepare(sql)) {
    [[maybe_unused]] int index = 0;
    (Bind(++index, values), ...);
  }
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  /// False at the end and on failure.
  bool Next();
  /// For statements without rows.
  bool Finish();
  /// False once something failed; the connection says what.
  bool ok() const { return ok_; }

  /// Of the current row; columns count from 0. NULL is empty or 0.
  std::string Text(int column) const;
  std::string Blob(int column) const;
  std::int64_t Integer(int column) const;

 private:
  explicit SqliteRows(sqlite3_stmt* statement)
      : statement_(statement), ok_(statement != nullptr) {}
  void Bind(int index, std::string_view text);
  void Bind(int index, SqliteBlob blob);
  void Bind(int index, std::int64_t value);

  sqlite3_stmt* statement_;
  bool ok_;
};

}  // namespace torqued::server
