#include "server/registry/store_backup.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <variant>

#include "server/registry/file_lock.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_statement.h"
#include "server/registry/store_check.h"
#include "server/registry/store_files.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using Problem = std::optional<std::string>;

std::string ErrnoText() { return std::generic_category().message(errno); }

/// A new file that goes again unless it is given its name.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : target_(target),
        path_((target.parent_path() /
               ("." + target.filename().string() + ".XXXXXX"))
                  .string()) {}
  ~Draft() {
    if (fd_ < 0) return;
    close(fd_);
    std::error_code ignored;
    for (const std::string& file : FilesOfStore(path_)) {
      fs::remove(file, ignored);
    }
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }

  /// Empty, and for nobody else yet. What a backup that was killed has left is
  /// never in the way.
  bool Create() {
    fd_ = mkostemp(path_.data(), O_CLOEXEC);
    return fd_ >= 0;
  }
  /// Who may read the store may read its copy, and nobody else.
  bool TakeRights(const struct stat& store) {
    // Only root may give files away.
    const bool own = fchown(fd_, store.st_uid, store.st_gid) == 0;
    const mode_t mode = store.st_mode & 0777;
    return fchmod(fd_, own ? mode : mode & ~mode_t{0077}) == 0;
  }
  bool Sync() { return fsync(fd_) == 0; }
  /// The file is there under its name then, also after a crash.
  bool TakeName(bool overwrite) {
    if (!(overwrite ? rename(path_.c_str(), target_.c_str()) == 0
                    : RenameNoReplace(path_, target_.string()))) {
      return false;
    }
    close(std::exchange(fd_, -1));
    SyncDirectory(target_.parent_path());
    return true;
  }

 private:
  const fs::path target_;
  std::string path_;
  int fd_ = -1;
};

/// Why the file must not be written, as far as what is there tells.
Problem RefusedTarget(const fs::path& target, const struct stat& store,
                      bool overwrite) {
  struct stat there{};
  const bool exists = stat(target.c_str(), &there) == 0;
  if (exists && there.st_dev == store.st_dev && there.st_ino == store.st_ino) {
    return "is the store itself";
  }
  if (exists && !S_ISREG(there.st_mode)) return "is no regular file";
  if (exists && !overwrite) {
    return "is there already; --overwrite replaces it";
  }
  const auto files = FilesOfStore(target.string());
  std::error_code ignored;
  // SQLite would take such a log for that of the copy.
  for (const std::string& beside : {files[1], files[3]}) {
    if (fs::exists(beside, ignored)) {
      return "has a log beside it, " + beside +
             ": it is a store in use, or one that was not closed";
    }
  }
  if (fs::exists(files[4], ignored)) {
    const auto locked = FileLock::Acquire(files[4]);
    if (std::holds_alternative<FileLock::Held>(locked)) {
      return "is the store of a running server";
    }
  }
  if (exists && std::holds_alternative<FileLock::Held>(
                    FileLock::AcquireItself(target.string()))) {
    return "is the store of a running server";
  }
  return std::nullopt;
}

/// Reads one state of the store and writes it, in pages of its own.
bool CopyInto(SqliteConnection& store, const std::string& file) {
  SqliteStatement copy;
  return copy.Prepare(store.handle(), "VACUUM INTO ?1") &&
         SqliteRows(copy, file).Finish();
}

}  // namespace

std::optional<BackupFailure> BackUpStore(const std::string& store,
                                         const std::string& file,
                                         const BackupOptions& options) {
  const auto of_store = [&store](const std::string& why, bool damaged = false) {
    return BackupFailure{damaged, "model database " + store + ": " + why};
  };
  const auto of_file = [&file](const std::string& why) {
    return BackupFailure{false, file + ": " + why};
  };
  if (!IsPathOfStore(store)) return of_store("not the path of a file");
  if (!IsPathOfStore(file)) return of_file("not the path of a file");
  struct stat of{};
  if (stat(store.c_str(), &of) != 0) return of_store(ErrnoText());
  if (!S_ISREG(of.st_mode)) return of_store("is no regular file");

  std::error_code error;
  // Through a symbolic link: what it leads to is written.
  const fs::path target = fs::weakly_canonical(fs::absolute(file), error);
  if (error) return of_file(error.message());
  if (const Problem why = RefusedTarget(target, of, options.overwrite)) {
    return of_file(*why);
  }

  auto opened = SqliteConnection::OpenToRead(store);
  if (const auto* why = std::get_if<std::string>(&opened)) {
    return of_store(*why);
  }
  auto& reading = *std::get<std::unique_ptr<SqliteConnection>>(opened);
  reading.GiveUpWhen(&options.stop);
  Draft draft(target);
  if (!draft.Create() || !draft.TakeRights(of)) return of_file(ErrnoText());
  if (!CopyInto(reading, draft.path())) {
    const StoreError why = reading.error();
    return of_store(why.message, why.code == StoreError::Code::kDamaged);
  }
  // A copy of what is damaged would be no backup, and might replace a good one.
  const auto checked = CheckStore(draft.path(), options.stop);
  if (const auto* why = std::get_if<std::string>(&checked)) {
    return of_store(*why);
  }
  if (const auto& check = std::get<StoreCheck>(checked); !check.good()) {
    return of_store(check.damage.front(), /*damaged=*/true);
  }
  if (!draft.Sync() || !draft.TakeName(options.overwrite)) {
    return of_file(ErrnoText());
  }
  return std::nullopt;
}

}  // namespace torqued::server
