// `torqued store check` and `torqued store backup`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "server/registry/registry_error.h"

namespace torqued::server {

struct StoreCheck {
  std::int64_t schema = 0;
  std::int64_t names = 0;
  std::int64_t revisions = 0;
  std::vector<std::string> damage = {};  // a sentence each
};

/// Reads one state of the file, which a server may have open and which stays as
/// it is: SQLite's integrity_check and foreign_key_check, and that every
/// revision is the hash of its content. `stop` is asked now and then; true
/// gives up. Throws StoreError if there is no answer.
StoreCheck CheckStore(const std::string& path,
                      const std::function<bool()>& stop = {});

/// Copies one state of the store, with all that was acknowledged before the
/// call, to `file`, and leaves the store and a server that has it open alone.
/// The copy is checked and on disk before it takes its name; it has the mode of
/// the store, and its owner if that may be given. `overwrite`: in place of a
/// file that is there. `stop` as above. Throws StoreError, and leaves nothing.
void BackUpStore(const std::string& store, const std::string& file,
                 bool overwrite = false,
                 const std::function<bool()>& stop = {});

}  // namespace torqued::server
