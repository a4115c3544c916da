// Whether a model store is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace torqued::server {

struct StoreCheck {
  std::int64_t schema = 0;
  std::int64_t names = 0;
  std::int64_t revisions = 0;
  /// A sentence each, which says where; the first kMostListed.
  std::vector<std::string> damage;
  std::size_t damage_count = 0;

  static constexpr std::size_t kMostListed = 100;
  bool good() const { return damage_count == 0; }
};

/// Reads all of one state of the file, which a server may have open and which
/// stays as it is: pages and indexes fit together, the tables are those of this
/// program, every revision is the hash of what is stored under it, every row
/// that leads to a revision fits its checksum, and every reference leads
/// somewhere. `stop` is asked now and then; true gives up. The
/// string says why there is no answer: nothing was found to be good or bad.
std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop = {});

}  // namespace torqued::server
