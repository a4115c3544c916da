#include "server/registry/store_copy.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
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

/// Throws StoreError for a file that is no store.
StoreCheck Check(SqliteConnection& sqlite) {
  // What follows sees one state of the store.
  sqlite.Execute("BEGIN");
  StoreCheck check{.schema = ReadSchema(sqlite)};
  if (check.schema == 0) {
    throw StoreError{
        Code::kDamaged,
        "it has no tables: a copy of a file without its write-ahead log?"};
  }
  const auto each = [&](std::string_view sql, const auto& read) {
    try {
      sqlite.ForEach(read, sql);
    } catch (const StoreError& error) {
      if (error.code != Code::kDamaged) throw;
      check.damage.push_back(error.message);
    }
  };
  each("PRAGMA integrity_check(100)", [&](const SqliteRun& row) {
    std::string text = row.Text(0);
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text != "ok") check.damage.push_back("pages: " + text);
  });
  each("PRAGMA foreign_key_check", [&](const SqliteRun& row) {
    check.damage.push_back("table " + row.Text(0) +
                           ": a row refers to one of table " + row.Text(2) +
                           " that is missing");
  });
  each("SELECT count(*) FROM names",
       [&](const SqliteRun& row) { check.names = row.Integer(0); });
  each(
      "SELECT revision, format, source, options,"
      " (SELECT group_concat(name, ', ') FROM history AS h"
      "  WHERE h.revision = r.revision) FROM revisions AS r",
      [&](const SqliteRun& row) {
        ++check.revisions;
        const std::string revision = row.Text(0);
        if (ComputeRevision(row.Text(1), row.Text(2), row.Text(3)) !=
            revision) {
          check.damage.push_back("revision " + revision + " of " + row.Text(4) +
                                 ": what is stored is not what was "
                                 "registered; its SHA-256 is another");
        }
      });
  return check;
}

/// A new file beside the target that goes again, unless it took its name.
struct Draft {
  explicit Draft(const fs::path& target)
      : path(target.parent_path() /
             ("." + target.filename().string() + ".XXXXXX")),
        fd(mkostemp(path.data(), O_CLOEXEC)) {}
  ~Draft() {
    close(fd);
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      unlink((path + end).c_str());
    }
  }
  std::string path;
  const int fd;
};

/// Why the file must not be written; empty: it may.
std::string WhyNotTo(const std::string& target, const struct stat& store,
                     bool overwrite) {
  struct stat there{};
  if (stat(target.c_str(), &there) == 0) {
    if (there.st_dev == store.st_dev && there.st_ino == store.st_ino) {
      return "the target is the store itself";
    }
    if (!S_ISREG(there.st_mode)) return "not a regular file";
    if (!overwrite) return "the file is there already; --overwrite replaces it";
  }
  // SQLite would take such a log for that of the copy.
  for (const char* end : {"-wal", "-journal"}) {
    if (fs::exists(target + end)) {
      return "the target has a log beside it, " + target + end +
             ": it is a store in use, or one that was not closed";
    }
  }
  return {};
}

}  // namespace

std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop) {
  try {
    SqliteConnection sqlite(path, SqliteConnection::Mode::kReadOnly);
    sqlite.StopWhen(stop);
    return Check(sqlite);
  } catch (const StoreError& error) {
    if (error.code == Code::kDamaged)
      return StoreCheck{.damage = {error.message}};
    return error.message;
  }
}

std::optional<StoreError> BackUpStore(const std::string& store,
                                      const std::string& file, bool overwrite,
                                      const std::function<bool()>& stop) {
  std::string subject = "model database " + store, of_file = file;
  const auto require = [](bool good) {
    if (!good) throw StoreError{.message = std::strerror(errno)};
  };
  try {
    struct stat of{};
    require(stat(store.c_str(), &of) == 0);
    SqliteConnection reading(store, SqliteConnection::Mode::kReadOnly);
    reading.StopWhen(stop);

    subject.swap(of_file);
    // Through a symbolic link: what it leads to is written.
    const fs::path target = fs::weakly_canonical(fs::absolute(file));
    if (const std::string why = WhyNotTo(target, of, overwrite); !why.empty()) {
      throw StoreError{.message = why};
    }
    Draft draft(target);
    require(draft.fd >= 0);
    // Who may read the store may read its copy, and nobody else. Only root may
    // give files away.
    const bool own = fchown(draft.fd, of.st_uid, of.st_gid) == 0;
    require(fchmod(draft.fd, of.st_mode & (own ? 0777 : 0700)) == 0);

    subject.swap(of_file);
    reading.Run("VACUUM INTO ?1", draft.path);
    SqliteConnection copy(draft.path, SqliteConnection::Mode::kReadOnly);
    copy.StopWhen(stop);
    // A copy of what is damaged would be no backup, and might replace a good
    // one.
    if (StoreCheck check = Check(copy); !check.damage.empty()) {
      throw StoreError{Code::kDamaged, std::move(check.damage.front())};
    }

    subject.swap(of_file);
    require(fsync(draft.fd) == 0 &&
            rename(draft.path.c_str(), target.c_str()) == 0);
    const int folder = open(target.parent_path().c_str(), O_RDONLY | O_CLOEXEC);
    if (folder < 0) return std::nullopt;
    fsync(folder);  // it has its name after a crash, too
    close(folder);
    return std::nullopt;
  } catch (const StoreError& error) {
    return StoreError{error.code, subject + ": " + error.message};
  } catch (const fs::filesystem_error& error) {
    return StoreError{.message = subject + ": " + error.code().message()};
  }
}

}  // namespace torqued::server
