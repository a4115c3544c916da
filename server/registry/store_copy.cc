#include "server/registry/store_copy.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "server/registry/model_store.h"
#include "server/registry/revision.h"
#include "server/registry/sqlite.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using Code = StoreError::Code;

/// Throws StoreError where there is no answer.
StoreCheck Check(SqliteConnection& sqlite) {
  StoreCheck check;
  // Damage of one table ends what is read of it, not of the others.
  const auto guarded = [&](const auto& read) {
    try {
      read();
    } catch (const StoreError& error) {
      if (error.code != Code::kDamaged) throw;
      check.damage.push_back(error.message);
    }
  };
  // What follows sees one state of the store.
  sqlite.Execute("BEGIN");
  guarded([&] {
    check.schema = ReadSchema(sqlite);
    if (check.schema == 0) {
      check.damage.emplace_back(
          "it has no tables: a copy of a file without its write-ahead log?");
    }
  });
  if (!check.damage.empty()) return check;

  guarded([&] {
    sqlite.ForEach(
        [&](const SqliteRun& row) {
          std::string text = row.Text(0);
          std::replace(text.begin(), text.end(), '\n', ' ');
          if (text != "ok") check.damage.push_back("pages: " + text);
        },
        "PRAGMA integrity_check(100)");
  });
  guarded([&] {
    sqlite.ForEach(
        [&](const SqliteRun& row) {
          check.damage.push_back("table " + row.Text(0) +
                                 ": a row refers to one of table " +
                                 row.Text(2) + " that is missing");
        },
        "PRAGMA foreign_key_check");
  });
  guarded([&] { check.names = sqlite.Integer("SELECT count(*) FROM names"); });
  guarded([&] {
    sqlite.ForEach(
        [&](const SqliteRun& row) {
          ++check.revisions;
          const std::string revision = row.Text(0);
          if (ComputeRevision(row.Text(1), row.Text(2), row.Text(3)) ==
              revision) {
            return;
          }
          check.damage.push_back(
              "revision " + revision + " of " +
              sqlite.Text("SELECT group_concat(name, ', ') FROM history"
                          " WHERE revision = ?1",
                          revision) +
              ": what is stored is not what was registered; its SHA-256 is "
              "another");
        },
        "SELECT revision, format, source, options FROM revisions");
  });
  return check;
}

StoreError Failed(const std::string& path, const std::string& why) {
  return {Code::kUnavailable, path + ": " + why};
}

StoreError ErrnoOf(const std::string& path) {
  return Failed(path, std::generic_category().message(errno));
}

/// A new file beside the target that goes again unless it takes its name.
/// Throws StoreError.
class Draft {
 public:
  /// Who may read the store may read its copy, and nobody else.
  Draft(const fs::path& target, const struct stat& store)
      : target_(target),
        path_(target.parent_path() /
              ("." + target.filename().string() + ".XXXXXX")),
        fd_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (fd_ < 0) throw ErrnoOf(target_);
    // Only root may give files away.
    const bool own = fchown(fd_, store.st_uid, store.st_gid) == 0;
    const mode_t mode = store.st_mode & 0777;
    fchmod(fd_, own ? mode : mode & ~mode_t{0077});
  }
  ~Draft() {
    close(fd_);
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      fs::remove(path_ + end, ignored);
    }
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }

  /// The file is there under its name then, also after a crash.
  void TakeName() {
    if (fsync(fd_) != 0 || rename(path_.c_str(), target_.c_str()) != 0) {
      throw ErrnoOf(target_);
    }
    SyncDirectory(target_.parent_path());
  }

 private:
  const fs::path target_;
  std::string path_;
  int fd_;
};

/// Throws StoreError if the file must not be written.
void CheckTarget(const std::string& target, const struct stat& store,
                 bool overwrite) {
  struct stat there{};
  if (stat(target.c_str(), &there) == 0) {
    if (there.st_dev == store.st_dev && there.st_ino == store.st_ino) {
      throw Failed(target, "the target is the store itself");
    }
    if (!S_ISREG(there.st_mode)) throw Failed(target, "not a regular file");
    if (!overwrite) {
      throw Failed(target,
                   "the file is there already; --overwrite replaces it");
    }
  }
  // SQLite would take such a log for that of the copy.
  for (const char* end : {"-wal", "-journal"}) {
    if (fs::exists(target + end)) {
      throw Failed(target, "the target has a log beside it, " + target + end +
                               ": it is a store in use, or one that was not "
                               "closed");
    }
  }
}

/// Throws StoreError.
void BackUp(const std::string& store, const std::string& file, bool overwrite,
            const std::function<bool()>& stop) {
  const std::string of_store = "model database " + store;
  struct stat of{};
  if (stat(store.c_str(), &of) != 0) throw ErrnoOf(of_store);
  if (!S_ISREG(of.st_mode)) throw Failed(of_store, "not a regular file");
  // Through a symbolic link: what it leads to is written.
  const fs::path target = fs::weakly_canonical(fs::absolute(file));
  CheckTarget(target, of, overwrite);
  Draft draft(target, of);
  try {
    SqliteConnection reading(store, SqliteConnection::Mode::kReadOnly);
    reading.StopWhen(stop);
    reading.Run("VACUUM INTO ?1", draft.path());
    SqliteConnection copy(draft.path(), SqliteConnection::Mode::kReadOnly);
    copy.StopWhen(stop);
    // A copy of what is damaged would be no backup, and might replace a good
    // one.
    if (StoreCheck check = Check(copy); !check.damage.empty()) {
      throw StoreError{Code::kDamaged, std::move(check.damage.front())};
    }
  } catch (StoreError& error) {
    error.message = of_store + ": " + error.message;
    throw;
  }
  draft.TakeName();
}

}  // namespace

std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop) {
  try {
    SqliteConnection sqlite(path, SqliteConnection::Mode::kReadOnly);
    sqlite.StopWhen(stop);
    return Check(sqlite);
  } catch (const StoreError& error) {
    return error.message;
  }
}

std::optional<StoreError> BackUpStore(const std::string& store,
                                      const std::string& file, bool overwrite,
                                      const std::function<bool()>& stop) {
  try {
    BackUp(store, file, overwrite, stop);
    return std::nullopt;
  } catch (const StoreError& error) {
    return error;
  } catch (const fs::filesystem_error& error) {
    return Failed(file, error.code().message());
  }
}

}  // namespace torqued::server
