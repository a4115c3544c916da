#include "server/registry/sqlite_connection.h"

#include <system_error>

#include "server/registry/row_checksum.h"

namespace torqued::server {
namespace {

constexpr int kLockWaitMs = 5000;
constexpr int kStepsBetweenQuestions = 1000;  // of the virtual machine

}  // namespace

std::variant<std::unique_ptr<SqliteConnection>, std::string>
SqliteConnection::Open(const std::string& path) {
  auto opened = OpenWith(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (auto* connection =
          std::get_if<std::unique_ptr<SqliteConnection>>(&opened)) {
    // SQLite silently falls back to reading where it may not write.
    if (sqlite3_db_readonly((*connection)->handle(), "main") != 0) {
      return "it is not writable";
    }
  }
  return opened;
}

std::variant<std::unique_ptr<SqliteConnection>, std::string>
SqliteConnection::OpenToRead(const std::string& path) {
  auto opened = OpenWith(path, SQLITE_OPEN_READONLY);
  if (auto* connection =
          std::get_if<std::unique_ptr<SqliteConnection>>(&opened)) {
    sqlite3_busy_timeout((*connection)->handle(), kLockWaitMs);
  }
  return opened;
}

std::variant<std::unique_ptr<SqliteConnection>, std::string>
SqliteConnection::OpenWith(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &handle,
                                     flags | SQLITE_OPEN_NOMUTEX, nullptr);
  // A handle comes back also on failure.
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(handle));
  if (handle == nullptr) return "out of memory";
  if (result != SQLITE_OK) {
    const int error = sqlite3_system_errno(handle);
    return error != 0 ? std::generic_category().message(error)
                      : std::string(sqlite3_errmsg(handle));
  }
  sqlite3_extended_result_codes(handle, 1);
  if (!AddRowChecksum(handle)) return "out of memory";
  return connection;
}

bool SqliteConnection::Configure() {
  sqlite3_busy_timeout(handle(), kLockWaitMs);
  return Execute(
      "PRAGMA foreign_keys = ON;"
      "PRAGMA synchronous = FULL;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA cell_size_check = ON;"
      // The log shrinks back after a large registration.
      "PRAGMA journal_size_limit = 16777216;");
}

void SqliteConnection::GiveUpWhen(const std::function<bool()>* stop) {
  if (!*stop) return;
  sqlite3_progress_handler(
      handle(), kStepsBetweenQuestions,
      [](void* asked) {
        return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0;
      },
      const_cast<std::function<bool()>*>(stop));
}

bool SqliteConnection::Execute(const char* sql) {
  return sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

StoreError SqliteConnection::error() const {
  const int code = sqlite3_errcode(handle()) & 0xFF;  // without its details
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return {damaged ? StoreError::Code::kDamaged : StoreError::Code::kUnavailable,
          sqlite3_errmsg(handle())};
}

SqliteTransaction::~SqliteTransaction() {
  // Some failures have undone it already.
  if (open_ && sqlite3_get_autocommit(connection_.handle()) == 0) {
    connection_.Execute("ROLLBACK");
  }
}

bool SqliteTransaction::Commit() {
  if (!connection_.Execute("COMMIT")) return false;
  open_ = false;
  return true;
}

}  // namespace torqued::server
