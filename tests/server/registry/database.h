// Databases of SQLite with a log.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "tests/server/registry/fixtures.h"

namespace torqued::server {

/// A connection that never copies the log of its own accord.
class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
    Run("PRAGMA wal_autocheckpoint = 0");
  }
  ~Database() { sqlite3_close(connection_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void Run(const std::string& sql) const {
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(connection_);
  }

 private:
  sqlite3* connection_ = nullptr;
};

/// With a table of rows.
inline void MakeDatabase(const std::string& path) {
  EXPECT_EQ(RunSql(path,
                   "PRAGMA journal_mode = WAL;"
                   "CREATE TABLE rows (content BLOB)"),
            "wal");
}

}  // namespace torqued::server
