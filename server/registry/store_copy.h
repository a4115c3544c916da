// `torqued store check` and `torqued store backup`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace torqued::server {

struct StoreCheck {
  std::int64_t schema = 0;
  std::int64_t names = 0;
  std::int64_t revisions = 0;
  std::vector<std::string> damage;  // a sentence each; the first kMostListed
  std::size_t damage_count = 0;

  static constexpr std::size_t kMostListed = 100;
  bool good() const { return damage_count == 0; }
};

/// Reads one state of the file, which a server may have open and which stays as
/// it is: SQLite's integrity_check and foreign_key_check, and that every
/// revision is the hash of its content. `stop` is asked now and then; true
/// gives up. The string says why there is no answer.
std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop = {});

struct BackupOptions {
  /// A file that is there is replaced.
  bool overwrite = false;
  /// Asked now and then; true: give up and leave nothing.
  std::function<bool()> stop = {};
};

/// Why there is no copy.
struct BackupFailure {
  bool damaged = false;  // the store; CheckStore says all of it
  std::string message;   // "FILE: why"
};

/// Copies one state of the store, with all that was acknowledged before the
/// call, to `file`. Takes no lock of a server that has the store open, and
/// leaves the store as it is. The copy is checked and on disk before it takes
/// its name; it has the mode of the store, and its owner if that may be given.
/// Nothing on success.
std::optional<BackupFailure> BackUpStore(const std::string& store,
                                         const std::string& file,
                                         const BackupOptions& options);

}  // namespace torqued::server
