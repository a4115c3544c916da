// One connection to an SQLite file.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "server/registry/model_store.h"

namespace torqued::server {

/// Not thread-safe: its owner serializes calls.
class SqliteConnection {
 public:
  /// Opens or creates the file; reads and writes nothing yet, so a file that is
  /// no database shows only later. The string says why it cannot be opened.
  static std::variant<std::unique_ptr<SqliteConnection>, std::string> Open(
      const std::string& path);

  /// Opens a file that is there, to read; also one that a server has open. What
  /// is in its log is left there.
  static std::variant<std::unique_ptr<SqliteConnection>, std::string>
  OpenToRead(const std::string& path);

  /// Waits for locks up to 5 s, checks foreign keys, waits for the disk at each
  /// commit. Reads the file, so it fails for a file that is no database.
  bool Configure();

  /// Statements fail, from now on, once `*stop` says so: it is asked now and
  /// then and must stay in place. An empty one is not asked.
  void GiveUpWhen(const std::function<bool()>* stop);

  /// Runs statements that need no values and whose rows are of no interest.
  bool Execute(const char* sql);

  /// Why the last call on this connection failed.
  StoreError error() const;

  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };

  explicit SqliteConnection(sqlite3* handle) : handle_(handle) {}

  static std::variant<std::unique_ptr<SqliteConnection>, std::string> OpenWith(
      const std::string& path, int flags);

  std::unique_ptr<sqlite3, Close> handle_;
};

/// Undone on destruction unless committed. Takes the right to write at once, so
/// that what is read inside still holds when it is written.
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

}  // namespace torqued::server
