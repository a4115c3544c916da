#include "server/registry/sqlite_store.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "server/registry/file_lock.h"
#include "server/registry/own_file.h"
#include "server/registry/quiet_checkpoint.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_reader.h"
#include "server/registry/sqlite_schema.h"
#include "server/registry/sqlite_writer.h"
#include "server/registry/store_files.h"
#include "server/registry/store_watch.h"

namespace torqued::server {
namespace {

// Look-ups have a connection of their own, so that none waits while a
// registration waits for the disk.
class SqliteStore final : public ModelStore {
 public:
  struct Locks {
    std::unique_ptr<FileLock> by_name, of_file;
  };

  SqliteStore(Locks locks, std::unique_ptr<SqliteConnection> writer,
              std::unique_ptr<SqliteConnection> reader,
              std::unique_ptr<SqliteConnection> checkpointer,
              const std::string& file, const StoreOptions& options)
      : locks_(std::move(locks)),
        content_(file, locks_.of_file->descriptor(), options.looked_through),
        writer_(std::move(writer), options.quotas),
        reader_(std::move(reader)),
        checkpoint_(std::move(checkpointer), content_, writer_mutex_,
                    options.quiet) {}

  /// The log of what was overwritten stays out of what is there now.
  ~SqliteStore() override {
    SqliteConnection& checkpointer = checkpoint_.Stop();
    watch_.reset();
    bool ours = false;
    try {
      ours = content_.Problem().empty();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // The next start copies the log.
    }
    if (ours) return;
    for (SqliteConnection* connection :
         {&writer_.connection(), &reader_.connection(), &checkpointer}) {
      connection->LeaveLog();
    }
  }

  /// Empty on success, else why not.
  std::string Prepare(const std::string& file, const StoreOptions& options) {
    for (const bool writes : {true, false}) {
      if (writes ? writer_.Prepare() : reader_.Prepare()) continue;
      return "its tables are not as expected: " +
             (writes ? writer_.error() : reader_.error()).message;
    }
    // SQLite has opened all that there is now.
    OpenFiles files(file, locks_.of_file->id(), content_);
    std::string problem = files.Problem();
    watch_.emplace(std::move(files),
                   StoreWatch::Times{.between_looks = options.look,
                                     .patience = options.patience},
                   options.tell);
    return problem;
  }

  RegistrationOutcome Register(const RegistrationChange& change) override {
    return Write([&] { return writer_.Register(change); });
  }

  std::variant<Deleted, NameNotFound, RevisionConflict, StoreError> Delete(
      std::string_view name,
      const std::optional<std::string>& expected_current) override {
    return Write([&] { return writer_.Delete(name, expected_current); });
  }

  std::optional<StoreError> SetDirectoryHash(std::string_view name,
                                             std::string_view hash) override {
    return Write([&] { return writer_.SetDirectoryHash(name, hash); });
  }

  std::optional<StoreError> WriteSummaries(
      const Summaries& summaries) override {
    // They can be made again: whoever looks a model up does not wait for them
    // while a registration waits for the disk.
    const std::unique_lock lock(writer_mutex_, std::try_to_lock);
    if (!lock) {
      return StoreError{StoreError::Code::kUnavailable,
                        "another write is under way"};
    }
    return WriteLocked([&] { return writer_.WriteSummaries(summaries); });
  }

  OrStoreError<std::optional<Registration>> FindCurrent(
      std::string_view name) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindCurrent(name);
  }

  OrStoreError<std::optional<Registration>> FindLabel(
      std::string_view name, std::string_view label) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindLabel(name, label);
  }

  OrStoreError<std::vector<Registration>> FindInHistory(
      std::string_view name, std::string_view prefix,
      std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindInHistory(name, prefix, limit);
  }

  OrStoreError<std::vector<FoundRevision>> FindRevisions(
      std::string_view prefix, std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindRevisions(prefix, limit);
  }

  OrStoreError<std::optional<std::int64_t>> SourceBytes(
      std::string_view revision) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.SourceBytes(revision);
  }

  OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.ReadRevision(revision);
  }

  OrStoreError<std::vector<ListedName>> ListNames(std::string_view after,
                                                  std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.ListNames(after, limit);
  }

  OrStoreError<std::vector<std::string>> NamesAround(
      std::string_view name, std::size_t limit) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.NamesAround(name, limit);
  }

  OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name) override {
    std::lock_guard lock(reader_mutex_);
    return reader_.FindDirectoryHash(name);
  }

 private:
  /// Only a write to the file that has the path is one that lasts, so that is
  /// looked at before, and again before the write is acknowledged.
  template <class Change>
  auto WriteLocked(Change change) -> decltype(change()) {
    if (const std::string problem = watch_->Problem(); !problem.empty()) {
      return Unavailable(problem);
    }
    auto outcome = change();
    checkpoint_.NoteWrite();
    content_.NoteLog();
    if (writer_.log_is_long()) content_.Change([this] { writer_.CopyLog(); });
    if (const std::string problem = watch_->Problem(); !problem.empty()) {
      return Unavailable(problem);
    }
    return outcome;
  }
  template <class Change>
  auto Write(Change change) -> decltype(change()) {
    const std::lock_guard lock(writer_mutex_);
    return WriteLocked(std::move(change));
  }

  static StoreError Unavailable(const std::string& problem) {
    return StoreError{StoreError::Code::kUnavailable, problem};
  }

  Locks locks_;  // released last
  OwnFile content_;
  std::mutex writer_mutex_;
  SqliteWriter writer_;
  std::mutex reader_mutex_;
  SqliteReader reader_;
  QuietCheckpoint checkpoint_;  // ends before what it serves
  std::optional<StoreWatch> watch_;
};

}  // namespace

std::variant<std::unique_ptr<ModelStore>, std::string> OpenSqliteStore(
    const std::string& path, const StoreOptions& options) {
  namespace fs = std::filesystem;
  const auto failed = [&path](const std::string& why) {
    return "model database " + path + ": " + why;
  };
  if (!IsPathOfStore(path)) return failed("not the path of a file");
  std::error_code error;
  fs::path file = fs::absolute(path, error);
  if (error) return failed(error.message());
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return failed("cannot create " + file.parent_path().string() + ": " +
                  error.message());
  }
  // One lock for one file, by whatever path it is reached.
  file = fs::weakly_canonical(file, error);
  if (error) return failed(error.message());
  if (fs::is_directory(file, error)) return failed("is a directory");

  auto locked = FileLock::Acquire(file.string() + ".lock");
  if (const auto* held = std::get_if<FileLock::Held>(&locked)) {
    return failed("is in use by another torqued" +
                  (held->pid.empty() ? "" : " (pid " + held->pid + ")"));
  }
  if (const auto* why = std::get_if<std::string>(&locked)) return failed(*why);
  // And one for all names of the file, also where the other was removed.
  auto itself = FileLock::AcquireItself(file.string());
  if (const auto* held = std::get_if<FileLock::Held>(&itself)) {
    return failed("is in use by another torqued" +
                  (held->pid.empty() ? "" : " (pid " + held->pid + ")") +
                  ", which has locked the file by another name or whose lock "
                  "file was removed");
  }
  if (const auto* why = std::get_if<std::string>(&itself)) return failed(*why);

  auto writer = SqliteConnection::Open(file.string());
  if (const auto* why = std::get_if<std::string>(&writer)) return failed(*why);
  auto& writing = std::get<std::unique_ptr<SqliteConnection>>(writer);
  std::optional<std::string> unmended;
  if (auto why = PrepareSqliteSchema(*writing, unmended)) return failed(*why);
  if (unmended && options.warn) {
    options.warn("damage to revisions of older layouts cannot be mended: " +
                 *unmended);
  }
  SyncDirectory(file.parent_path());

  std::array<std::unique_ptr<SqliteConnection>, 2> others;
  for (auto& other : others) {
    auto opened = SqliteConnection::Open(file.string());
    if (const auto* why = std::get_if<std::string>(&opened)) {
      return failed(*why);
    }
    other = std::move(std::get<std::unique_ptr<SqliteConnection>>(opened));
    if (!other->Configure()) return failed(other->error().message);
  }

  auto store = std::make_unique<SqliteStore>(
      SqliteStore::Locks{
          std::get<std::unique_ptr<FileLock>>(std::move(locked)),
          std::get<std::unique_ptr<FileLock>>(std::move(itself))},
      std::move(writing), std::move(others[0]), std::move(others[1]),
      file.string(), options);
  if (const std::string why = store->Prepare(file.string(), options);
      !why.empty()) {
    return failed(why);
  }
  return std::unique_ptr<ModelStore>(std::move(store));
}

}  // namespace torqued::server
