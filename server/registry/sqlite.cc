#include "server/registry/sqlite.h"

#include <sqlite3.h>

#include <system_error>
#include <utility>

namespace torqued::server {
namespace {

constexpr int kLockWaitMs = 5000;
constexpr int kStepsBetweenQuestions = 1000;  // of SQLite's virtual machine

// SQLite takes a null pointer for NULL, and empty is not NULL.
const char* NotNull(std::string_view bytes) {
  return bytes.data() != nullptr ? bytes.data() : "";
}

}  // namespace

void SqliteConnection::Close::operator()(sqlite3* handle) const {
  sqlite3_close(handle);
}

void SqliteConnection::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

std::variant<std::unique_ptr<SqliteConnection>, std::string>
SqliteConnection::Open(const std::string& path, Mode mode) {
  const bool writes = mode == Mode::kReadWrite;
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_NOMUTEX | (writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                    : SQLITE_OPEN_READONLY),
      nullptr);
  // A handle comes back also on failure.
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(handle));
  if (handle == nullptr) return "out of memory";
  if (result != SQLITE_OK) {
    const int error = sqlite3_system_errno(handle);
    return error != 0 ? std::generic_category().message(error)
                      : std::string(sqlite3_errmsg(handle));
  }
  // SQLite opens a file that it may not write for reading, without an error.
  if (writes && sqlite3_db_readonly(handle, "main") != 0) {
    return "it is not writable";
  }
  sqlite3_busy_timeout(handle, kLockWaitMs);
  return connection;
}

bool SqliteConnection::Configure() {
  return Execute(
      "PRAGMA foreign_keys = ON;"
      "PRAGMA synchronous = FULL;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA cell_size_check = ON;"
      // The log shrinks again after a large registration.
      "PRAGMA journal_size_limit = 16777216;");
}

void SqliteConnection::CopyLogOnClose(bool copy) {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                    copy ? 0 : 1, nullptr);
}

void SqliteConnection::StopWhen(const std::function<bool()>* stop) {
  if (!*stop) return;
  sqlite3_progress_handler(
      handle_.get(), kStepsBetweenQuestions,
      [](void* asked) {
        return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0;
      },
      const_cast<std::function<bool()>*>(stop));
}

bool SqliteConnection::Execute(const char* sql) {
  return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) ==
         SQLITE_OK;
}

StoreError SqliteConnection::error() const {
  const int code = sqlite3_errcode(handle_.get()) & 0xFF;
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return {damaged ? StoreError::Code::kDamaged : StoreError::Code::kUnavailable,
          sqlite3_errmsg(handle_.get())};
}

sqlite3_stmt* SqliteConnection::Prepare(std::string_view sql) {
  auto& statement = statements_[sql];
  if (statement == nullptr) {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                       SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    statement.reset(made);
  }
  return statement.get();
}

SqliteTransaction::~SqliteTransaction() {
  // Some failures have undone it already.
  if (open_ && sqlite3_get_autocommit(connection_.handle_.get()) == 0) {
    connection_.Execute("ROLLBACK");
  }
}

bool SqliteTransaction::Commit() {
  if (!connection_.Execute("COMMIT")) return false;
  open_ = false;
  return true;
}

SqliteRows::~SqliteRows() {
  if (statement_ == nullptr) return;
  // An unfinished run would hold its locks and its snapshot.
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool SqliteRows::Next() {
  if (!ok_) return false;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  ok_ = result == SQLITE_DONE;
  return false;
}

bool SqliteRows::Finish() {
  while (Next()) {
  }
  return ok_;
}

std::string SqliteRows::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string SqliteRows::Blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t SqliteRows::Integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

void SqliteRows::Bind(int index, std::string_view text) {
  ok_ =
      ok_ && sqlite3_bind_text64(statement_, index, NotNull(text), text.size(),
                                 SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
}

void SqliteRows::Bind(int index, SqliteBlob blob) {
  ok_ =
      ok_ && sqlite3_bind_blob64(statement_, index, NotNull(blob.bytes),
                                 blob.bytes.size(), SQLITE_STATIC) == SQLITE_OK;
}

void SqliteRows::Bind(int index, std::int64_t value) {
  ok_ = ok_ && sqlite3_bind_int64(statement_, index, value) == SQLITE_OK;
}

}  // namespace torqued::server
