// A copy of a model store, also of one in use.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace torqued::server {

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

/// Writes all that was acknowledged before the call, and nothing half, to
/// `file`: one file that is a store. Takes no lock of a server that has the
/// store open, holds up neither its registrations nor its look-ups, and leaves
/// the store as it is. The copy is checked and on disk before it takes its
/// name; it has the mode of the store, and its owner where that may be given.
/// Nothing on success.
std::optional<BackupFailure> BackUpStore(const std::string& store,
                                         const std::string& file,
                                         const BackupOptions& options);

}  // namespace torqued::server
