// The files of a model store.
#pragma once

#include <sys/types.h>

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server/registry/own_file.h"

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

/// The files of a store that is open, by which is noticed that one of them was
/// deleted or replaced, or the store itself overwritten. What SQLite writes
/// then is in no folder, or among pages of another store.
class OpenFiles {
 public:
  /// The file of a path, of which `file` is open, with the log and the shared
  /// memory beside it, which SQLite has just opened. `content` outlives this.
  OpenFiles(const std::string& path, const FileId& file,
            const OwnFile& content);

  /// Which file is no longer the one that is open, or as it was left, as a
  /// sentence fragment that names it; empty: none.
  std::string Problem() const;

 private:
  struct Known {
    std::string path;
    std::optional<FileId> id;
  };
  std::vector<Known> files_;  // that of the store first
  const OwnFile* content_;
};

/// False for names that SQLite takes for databases in memory or for URIs.
bool IsPathOfStore(const std::string& path);

/// The file and those that SQLite and the server keep beside it while it is
/// open: logs, shared memory, lock.
std::vector<std::string> FilesOfStore(const std::string& path);

/// Makes a new file's name as durable as its content.
void SyncDirectory(const std::filesystem::path& directory);

}  // namespace torqued::server
