// The files of a model store.
#pragma once

#include <sys/types.h>

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace torqued::server {

/// What a file is by, whatever its names.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  auto operator<=>(const FileId&) const = default;

  static FileId Of(int descriptor);
  /// Of what is there under a path, through symbolic links; nothing where
  /// nothing is.
  static std::optional<FileId> Of(const std::string& path);
};

/// False for names that SQLite takes for databases in memory or for URIs.
bool IsPathOfStore(const std::string& path);

/// The file and those that SQLite and the server keep beside it while it is
/// open: logs, shared memory, lock.
std::vector<std::string> FilesOfStore(const std::string& path);

/// False, with errno set: also where `to` is there.
bool RenameNoReplace(const std::string& from, const std::string& to);

/// Makes a new file's name as durable as its content.
void SyncDirectory(const std::filesystem::path& directory);

}  // namespace torqued::server
