// The files of a model store.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace torqued::server {

class OwnFile;

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
  OpenFiles(const std::string& path, const FileId& file, OwnFile& content);

  /// Which file is no longer the one that is open, or has other content, as a
  /// sentence fragment that names it; empty: none. Takes as long as it takes to
  /// look through the store.
  std::string Problem() const;

  /// The same where that does not take long; see OwnFile.
  std::optional<std::string> KnownProblem() const;

  /// The path of the store.
  const std::string& path() const { return files_.front().path; }

 private:
  /// The same as Problem(), but for the content.
  std::string ProblemOfNames() const;

  struct Known {
    std::string path;
    std::optional<FileId> id;
  };
  std::vector<Known> files_;  // that of the store first
  OwnFile* content_;
};

/// False for names that SQLite takes for databases in memory or for URIs.
bool IsPathOfStore(const std::string& path);

/// The file and those that SQLite and the server keep beside it while it is
/// open: logs, shared memory, lock.
std::vector<std::string> FilesOfStore(const std::string& path);

/// False, with errno set: also where `to` is there.
bool RenameNoReplace(const std::string& from, const std::string& to);

/// Takes the log of a store from its name, with what leads into it, so that it
/// is not taken for the log of what is there now; whoever has it open keeps it.
/// As a clause that says where it is, `frames` of it.
std::string PutLogAside(const std::string& path, std::int64_t frames);

/// Makes a new file's name as durable as its content.
void SyncDirectory(const std::filesystem::path& directory);

}  // namespace torqued::server
