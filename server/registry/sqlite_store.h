// The embedded model store: one SQLite file, one server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "server/registry/model_store.h"

namespace torqued::server {

struct StoreOptions {
  StoreQuotas quotas = {};
  /// After a write, and so long without another, the write-ahead log is copied
  /// into the file and emptied, as it is at the end.
  std::chrono::milliseconds quiet = std::chrono::seconds(2);
  /// So often is looked whether the files are still those that were opened.
  std::chrono::milliseconds look = std::chrono::seconds(1);
  /// Up to so many bytes the file is looked through after each write to it, and
  /// by whoever is to write to it when it looks changed.
  std::int64_t looked_through = std::int64_t{64} << 20;
  /// So long whoever is to write waits until a larger one is looked through.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  /// If given, called with what was found wrong with the files, and with an
  /// empty text once nothing is any more; on a thread of the store.
  std::function<void(const std::string&)> tell = {};
  /// If given, called with what keeps no store from being opened.
  std::function<void(const std::string&)> warn = {};
};

/// Opens the file, or creates it with the directories above it. It belongs to
/// this process until the store goes: locks on `<path>.lock` and on the file
/// itself, by whatever name it is reached, keep other servers out. Not for
/// network file systems, which do not keep locks and shared memory as SQLite
/// needs them. The string says why it cannot be used; a file that is damaged,
/// of another program or of a newer version is left as it is. A file that is
/// deleted, replaced or written by others meanwhile is read on, and nothing is
/// written to it any more: kUnavailable.
std::variant<std::unique_ptr<ModelStore>, std::string> OpenSqliteStore(
    const std::string& path, const StoreOptions& options = {});

}  // namespace torqued::server
