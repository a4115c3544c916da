#include "server/registry/sqlite.h"

#include <cstring>

namespace torqued::server {
namespace {

void Check(sqlite3* connection, bool good) {
  if (good) return;
  const int code = sqlite3_errcode(connection) & 0xFF;
  throw StoreError(sqlite3_errmsg(connection),
                   code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
}

}  // namespace

SqliteRun::SqliteRun(sqlite3* connection, std::string_view sql)
    : connection_(connection) {
  sqlite3_stmt* made = nullptr;
  Check(connection,
        sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()),
                           &made, nullptr) == SQLITE_OK);
  statement_.reset(made, sqlite3_finalize);
}

void SqliteRun::Bind(int index, std::string_view text) {
  // SQLite takes a null pointer for NULL, and empty is not NULL.
  const char* bytes = text.data() != nullptr ? text.data() : "";
  Check(connection_,
        sqlite3_bind_text64(statement_.get(), index, bytes, text.size(),
                            SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
}

void SqliteRun::Bind(int index, std::int64_t value) {
  Check(connection_,
        sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK);
}

bool SqliteRun::Next() {
  const int result = sqlite3_step(statement_.get());
  Check(connection_, result == SQLITE_ROW || result == SQLITE_DONE);
  return result == SQLITE_ROW;
}

std::string SqliteRun::Text(int column) const {
  const auto* bytes =
      static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, bytes + sqlite3_column_bytes(statement_.get(), column)};
}

std::int64_t SqliteRun::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

SqliteConnection::SqliteConnection(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &handle,
                                     SQLITE_OPEN_NOMUTEX | flags, nullptr);
  handle_.reset(handle, sqlite3_close);  // there is one also on failure
  if (const int error = sqlite3_system_errno(handle);
      result != SQLITE_OK && error != 0) {
    throw StoreError(std::strerror(error));
  }
  Check(handle, result == SQLITE_OK);
  // SQLite opens a file that it may not write for reading, without an error.
  if ((flags & SQLITE_OPEN_READWRITE) != 0 &&
      sqlite3_db_readonly(handle, "main") != 0) {
    throw StoreError("it is not writable");
  }
  sqlite3_busy_timeout(handle, 5000);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void SqliteConnection::CopyLogOnClose() {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0,
                    nullptr);
}

void SqliteConnection::StopWhen(const std::function<bool()>& stop) {
  if (!stop) return;
  sqlite3_progress_handler(
      handle_.get(), 1000,  // steps of its virtual machine
      [](void* asked) {
        return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0;
      },
      const_cast<std::function<bool()>*>(&stop));
}

void SqliteConnection::Execute(const std::string& sql) {
  Check(handle_.get(), sqlite3_exec(handle_.get(), sql.c_str(), nullptr,
                                    nullptr, nullptr) == SQLITE_OK);
}

}  // namespace torqued::server
