// The embedded model store: one SQLite file, one server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "server/registry/model_store.h"

namespace torqued::server {

struct StoreOptions {
  StoreQuotas quotas = {};
  /// If given, called with what keeps no store from being opened.
  std::function<void(const std::string&)> warn = {};
};

/// Opens the file, or creates it with the directories above it. It belongs to
/// this process until the store goes: locks on `<path>.lock` and on the file
/// itself, by whatever name it is reached, keep other servers out. Not for
/// network file systems, which do not keep locks and shared memory as SQLite
/// needs them. The string says why it cannot be used; a file that is damaged,
/// of another program or of a newer version is left as it is. What others do to
/// an open file is not noticed.
std::variant<std::unique_ptr<ModelStore>, std::string> OpenSqliteStore(
    const std::string& path, const StoreOptions& options = {});

}  // namespace torqued::server
