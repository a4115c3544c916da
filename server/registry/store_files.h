// The files of a model store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace torqued::server {

/// False for names that SQLite takes for databases in memory or for URIs.
bool IsPathOfStore(const std::string& path);

/// The file and those that SQLite and the server keep beside it while it is
/// open: logs, shared memory, lock.
std::vector<std::string> FilesOfStore(const std::string& path);

/// Makes a new file's name as durable as its content.
void SyncDirectory(const std::filesystem::path& directory);

}  // namespace torqued::server
