#include "server/registry/sqlite_statement.h"

namespace torqued::server {
namespace {

// SQLite takes a null pointer for NULL, and empty is not NULL.
const char* NotNull(std::string_view bytes) {
  return bytes.data() != nullptr ? bytes.data() : "";
}

}  // namespace

bool SqliteStatement::Prepare(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int result =
      sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  handle_.reset(handle);
  return result == SQLITE_OK;
}

SqliteRows::~SqliteRows() {
  // An unfinished run would hold its locks and its snapshot.
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

bool SqliteRows::Next() {
  if (!ok()) return false;
  const int result = sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) result_ = result;
  return false;
}

bool SqliteRows::Finish() {
  while (Next()) {
  }
  return ok();
}

std::string SqliteRows::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  if (text == nullptr) return {};
  const auto size =
      static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return {reinterpret_cast<const char*>(text), size};
}

std::string SqliteRows::Blob(int column) const {
  const void* bytes = sqlite3_column_blob(handle_, column);
  if (bytes == nullptr) return {};
  const auto size =
      static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return {static_cast<const char*>(bytes), size};
}

std::int64_t SqliteRows::Integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

void SqliteRows::Bind(int index, std::string_view text) {
  if (!ok()) return;
  result_ = sqlite3_bind_text64(handle_, index, NotNull(text), text.size(),
                                SQLITE_STATIC, SQLITE_UTF8);
}

void SqliteRows::Bind(int index, SqliteBlob blob) {
  if (!ok()) return;
  result_ = sqlite3_bind_blob64(handle_, index, NotNull(blob.bytes),
                                blob.bytes.size(), SQLITE_STATIC);
}

void SqliteRows::Bind(int index, std::int64_t value) {
  if (!ok()) return;
  result_ = sqlite3_bind_int64(handle_, index, value);
}

}  // namespace torqued::server
