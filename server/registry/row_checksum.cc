#include "server/registry/row_checksum.h"

#include <cstdint>

namespace torqued::server {
namespace {

/// http://www.isthe.com/chongo/tech/comp/fnv
class Fnv1a {
 public:
  void Add(std::uint8_t byte) {
    hash_ = (hash_ ^ byte) * std::uint64_t{0x100000001b3};
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

void RowChecksum(sqlite3_context* context, int count, sqlite3_value** values) {
  Fnv1a sum;
  for (int i = 0; i < count; ++i) {
    // An integer in decimal.
    const unsigned char* text = sqlite3_value_text(values[i]);
    const auto size =
        static_cast<std::uint32_t>(sqlite3_value_bytes(values[i]));
    if (text == nullptr && size > 0) return sqlite3_result_error_nomem(context);
    for (int shift = 0; shift < 32; shift += 8) {
      sum.Add(static_cast<std::uint8_t>(size >> shift));
    }
    for (std::uint32_t k = 0; k < size; ++k) sum.Add(text[k]);
  }
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(sum.value()));
}

}  // namespace

bool AddRowChecksum(sqlite3* connection) {
  return sqlite3_create_function(connection, "row_checksum", -1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                 RowChecksum, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace torqued::server
