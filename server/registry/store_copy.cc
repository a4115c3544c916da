#include "server/registry/store_copy.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "server/registry/model_store.h"
#include "server/registry/revision.h"
#include "server/registry/sqlite.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;

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

void RequireWritable(const std::string& target, const struct stat& store,
                     bool overwrite) {
  const auto refuse = [](bool there, const std::string& why) {
    if (there) throw StoreError(why);
  };
  struct stat there{};
  if (stat(target.c_str(), &there) == 0) {
    refuse(there.st_dev == store.st_dev && there.st_ino == store.st_ino,
           "the target is the store itself");
    refuse(!S_ISREG(there.st_mode), "not a regular file");
    refuse(!overwrite, "the file is there already; --overwrite replaces it");
  }
  // SQLite would take such a log for that of the copy.
  for (const char* end : {"-wal", "-journal"}) {
    refuse(fs::exists(target + end),
           Cat("the target has a log next to it, ", target, end,
               ": it is a store in use, or one that was not closed"));
  }
}

}  // namespace

StoreCheck CheckStore(const std::string& path,
                      const std::function<bool()>& stop) try {
  SqliteConnection sqlite(path, SQLITE_OPEN_READONLY);
  sqlite.StopWhen(stop);
  // What follows sees one state of the store.
  sqlite.Execute("BEGIN");
  StoreCheck check{.schema = ReadSchema(sqlite)};
  if (check.schema == 0) {
    throw StoreError(
        "it has no tables: a copy of a file without its write-ahead log?",
        true);
  }
  const auto each = [&](std::string_view sql, const auto& read) {
    try {
      sqlite.ForEach(read, sql);
    } catch (const StoreError& error) {
      if (!error.damaged) throw;
      check.damage.emplace_back(error.what());
    }
  };
  each(
      "SELECT 'pages: ' || replace(integrity_check, char(10), ' ')"
      " FROM pragma_integrity_check(100) WHERE integrity_check <> 'ok'",
      [&](const SqliteRun& row) { check.damage.push_back(row.Text(0)); });
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
} catch (const StoreError& error) {
  if (!error.damaged) throw;
  return {.damage = {error.what()}};
}

void BackUpStore(const std::string& store, const std::string& file,
                 bool overwrite, const std::function<bool()>& stop) {
  std::string subject = "model database " + store, of_file = file;
  const auto require = [](bool good) {
    if (!good) throw StoreError(std::strerror(errno));
  };
  try {
    struct stat of{};
    require(stat(store.c_str(), &of) == 0);
    SqliteConnection reading(store, SQLITE_OPEN_READONLY);
    reading.StopWhen(stop);

    subject.swap(of_file);
    // Through a symbolic link: what it leads to is written.
    const fs::path target = fs::weakly_canonical(fs::absolute(file));
    RequireWritable(target, of, overwrite);
    Draft draft(target);
    require(draft.fd >= 0);
    // As readable as the store. Only root may give files away.
    const bool own = fchown(draft.fd, of.st_uid, of.st_gid) == 0;
    require(fchmod(draft.fd, of.st_mode & (own ? 0777 : 0700)) == 0);

    subject.swap(of_file);
    reading.Run("VACUUM INTO ?1", draft.path);
    // A copy of what is damaged might replace a good one.
    if (StoreCheck copy = CheckStore(draft.path, stop); !copy.damage.empty()) {
      throw StoreError(copy.damage.front(), true);
    }

    subject.swap(of_file);
    require(fsync(draft.fd) == 0 &&
            rename(draft.path.c_str(), target.c_str()) == 0);
    const int folder = open(target.parent_path().c_str(), O_RDONLY | O_CLOEXEC);
    require(folder >= 0);
    fsync(folder);  // it has its name after a crash, too
    close(folder);
  } catch (const StoreError& error) {
    throw StoreError(Cat(subject, ": ", error.what()), error.damaged);
  } catch (const fs::filesystem_error& error) {
    throw StoreError(Cat(subject, ": ", error.code().message()));
  }
}

}  // namespace torqued::server
