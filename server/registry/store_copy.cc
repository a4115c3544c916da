#include "server/registry/store_copy.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "server/registry/revision.h"
#include "server/registry/sqlite.h"
#include "server/registry/store_files.h"
#include "server/registry/store_schema.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using Problem = std::optional<std::string>;

/// There is no answer.
struct Failure {
  std::string why;
};

class Checker {
 public:
  explicit Checker(SqliteConnection& sqlite) : sqlite_(sqlite) {}

  /// Throws Failure.
  StoreCheck Check() {
    // What follows sees one state of the store.
    if (!sqlite_.Execute("BEGIN")) Fail();
    CheckIdentity();
    if (!check_.good()) return std::move(check_);
    ForEach("PRAGMA integrity_check(100)", [this](const SqliteRows& row) {
      std::string text = row.Text(0);
      std::replace(text.begin(), text.end(), '\n', ' ');
      if (text != "ok") Add("pages: " + text);
    });
    ForEach("PRAGMA foreign_key_check", [this](const SqliteRows& row) {
      Add("table " + row.Text(0) + ": a row refers to one of table " +
          row.Text(2) + " that is missing");
    });
    check_.names = Integer("SELECT count(*) FROM names");
    ForEach("SELECT revision, format, source, options FROM revisions",
            [this](const SqliteRows& row) { CheckRevision(row); });
    return std::move(check_);
  }

 private:
  void Add(std::string damage) {
    if (++check_.damage_count <= StoreCheck::kMostListed) {
      check_.damage.push_back(std::move(damage));
    }
  }

  /// Of the last call on the connection: damage, or no answer.
  void Fail() {
    StoreError error = sqlite_.error();
    if (error.code != StoreError::Code::kDamaged) throw Failure{error.message};
    Add(std::move(error.message));
  }

  template <class Row, class... Values>
  void ForEach(std::string_view sql, const Row& row, const Values&... values) {
    SqliteRows rows(sqlite_, sql, values...);
    while (rows.Next()) row(rows);
    if (!rows.ok()) Fail();
  }

  std::int64_t Integer(std::string_view sql) {
    std::int64_t number = 0;
    ForEach(sql, [&](const SqliteRows& row) { number = row.Integer(0); });
    return number;
  }

  void CheckIdentity() {
    const std::int64_t tables = Integer("SELECT count(*) FROM sqlite_schema");
    if (!check_.good()) return;
    check_.schema = Integer("PRAGMA user_version");
    if (tables == 0) {
      Add("it has no tables: a copy of a file without its write-ahead log?");
    } else if (Integer("PRAGMA application_id") != kApplicationId) {
      Add("it is a database of another program");
    } else if (std::string why = WhyNotSchema(check_.schema); !why.empty()) {
      throw Failure{std::move(why)};
    }
  }

  void CheckRevision(const SqliteRows& row) {
    ++check_.revisions;
    const std::string revision = row.Text(0);
    if (ComputeRevision(row.Text(1), row.Blob(2), row.Text(3)) == revision) {
      return;
    }
    std::string names;
    ForEach(
        "SELECT name FROM history WHERE revision = ?1 LIMIT 5",
        [&names](const SqliteRows& name) {
          names += (names.empty() ? " of " : ", ") + name.Text(0);
        },
        revision);
    Add("revision " + revision + names +
        ": what is stored is not what was registered; its SHA-256 is another");
  }

  SqliteConnection& sqlite_;
  StoreCheck check_;
};

std::string ErrnoText() { return std::generic_category().message(errno); }

/// A new file beside the target that goes again unless it takes its name.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : target_(target),
        path_(target.parent_path() /
              ("." + target.filename().string() + ".XXXXXX")),
        fd_(mkostemp(path_.data(), O_CLOEXEC)) {}
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

  /// Who may read the store may read its copy, and nobody else. False, with
  /// errno: there is no file.
  bool TakeRights(const struct stat& store) {
    if (fd_ < 0) return false;
    // Only root may give files away.
    const bool own = fchown(fd_, store.st_uid, store.st_gid) == 0;
    const mode_t mode = store.st_mode & 0777;
    return fchmod(fd_, own ? mode : mode & ~mode_t{0077}) == 0;
  }
  /// The file is there under its name then, also after a crash.
  bool TakeName() {
    if (fsync(fd_) != 0 || rename(path_.c_str(), target_.c_str()) != 0) {
      return false;
    }
    close(std::exchange(fd_, -1));
    SyncDirectory(target_.parent_path());
    return true;
  }

 private:
  const fs::path target_;
  std::string path_;
  int fd_;
};

/// Why the file must not be written, as far as what is there tells.
Problem RefusedTarget(const fs::path& target, const struct stat& store,
                      bool overwrite) {
  struct stat there{};
  const bool exists = stat(target.c_str(), &there) == 0;
  if (exists && there.st_dev == store.st_dev && there.st_ino == store.st_ino) {
    return "the target is the store itself";
  }
  if (exists && !S_ISREG(there.st_mode)) return "not a regular file";
  if (exists && !overwrite) {
    return "the file is there already; --overwrite replaces it";
  }
  const auto files = FilesOfStore(target.string());
  std::error_code ignored;
  // SQLite would take such a log for that of the copy.
  for (const std::string& beside : {files[1], files[3]}) {
    if (fs::exists(beside, ignored)) {
      return "the target has a log beside it, " + beside +
             ": it is a store in use, or one that was not closed";
    }
  }
  if (fs::exists(files[4], ignored)) {
    const auto locked = FileLock::Acquire(files[4]);
    if (std::holds_alternative<FileLock::Held>(locked)) {
      return "the target is the store of a running server";
    }
  }
  return std::nullopt;
}

}  // namespace

std::variant<StoreCheck, std::string> CheckStore(
    const std::string& path, const std::function<bool()>& stop) {
  if (!IsPathOfStore(path)) return "not the path of a file";
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    return error ? error.message() : "there is no such file";
  }
  if (!fs::is_regular_file(status)) return "not a regular file";
  auto opened = SqliteConnection::Open(path, SqliteConnection::Mode::kReadOnly);
  if (auto* why = std::get_if<std::string>(&opened)) return std::move(*why);
  auto& sqlite = *std::get<std::unique_ptr<SqliteConnection>>(opened);
  sqlite.StopWhen(&stop);
  try {
    return Checker(sqlite).Check();
  } catch (const Failure& failure) {
    return failure.why;
  }
}

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
  if (!S_ISREG(of.st_mode)) return of_store("not a regular file");

  std::error_code error;
  // Through a symbolic link: what it leads to is written.
  const fs::path target = fs::weakly_canonical(fs::absolute(file), error);
  if (error) return of_file(error.message());
  if (const Problem why = RefusedTarget(target, of, options.overwrite)) {
    return of_file(*why);
  }

  auto opened =
      SqliteConnection::Open(store, SqliteConnection::Mode::kReadOnly);
  if (const auto* why = std::get_if<std::string>(&opened)) {
    return of_store(*why);
  }
  auto& reading = *std::get<std::unique_ptr<SqliteConnection>>(opened);
  reading.StopWhen(&options.stop);
  Draft draft(target);
  if (!draft.TakeRights(of)) return of_file(ErrnoText());
  if (!SqliteRows(reading, "VACUUM INTO ?1", draft.path()).Finish()) {
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
  if (!draft.TakeName()) return of_file(ErrnoText());
  return std::nullopt;
}

}  // namespace torqued::server
