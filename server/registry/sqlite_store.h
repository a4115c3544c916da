// The embedded model store: one SQLite file, one server.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "server/registry/model_store.h"

namespace torqued::server {

/// Opens the file, or creates it with the directories above it. It belongs to
/// this process until the store goes: a lock on `<path>.lock` keeps other
/// servers out. Not for network file systems, which do not keep locks and
/// shared memory as SQLite needs them. The string says why it cannot be used; a
/// file that is damaged, of another program or of a newer version is left as it
/// is. After a write, and `quiet` without another, the write-ahead log is
/// copied into the file and emptied, as it is at the end.
std::variant<std::unique_ptr<ModelStore>, std::string> OpenSqliteStore(
    const std::string& path,
    std::chrono::milliseconds quiet = std::chrono::seconds(2));

}  // namespace torqued::server
