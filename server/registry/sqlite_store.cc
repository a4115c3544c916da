#include "server/registry/sqlite_store.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "server/registry/file_lock.h"
#include "server/registry/sqlite_connection.h"
#include "server/registry/sqlite_reader.h"
#include "server/registry/sqlite_schema.h"
#include "server/registry/sqlite_writer.h"
#include "server/registry/store_files.h"

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
              const StoreQuotas& quotas)
      : locks_(std::move(locks)),
        writer_(std::move(writer), quotas),
        reader_(std::move(reader)) {}

  /// Empty on success, else why not.
  std::string Prepare() {
    for (const bool writes : {true, false}) {
      if (writes ? writer_.Prepare() : reader_.Prepare()) continue;
      return "its tables are not as expected: " +
             (writes ? writer_.error() : reader_.error()).message;
    }
    return {};
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
    return writer_.WriteSummaries(summaries);
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
  template <class Change>
  auto Write(Change change) -> decltype(change()) {
    const std::lock_guard lock(writer_mutex_);
    return change();
  }

  Locks locks_;  // released last
  std::mutex writer_mutex_;
  SqliteWriter writer_;
  std::mutex reader_mutex_;
  SqliteReader reader_;
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

  auto reader = SqliteConnection::Open(file.string());
  if (const auto* why = std::get_if<std::string>(&reader)) return failed(*why);
  auto& reading = std::get<std::unique_ptr<SqliteConnection>>(reader);
  if (!reading->Configure()) return failed(reading->error().message);

  auto store = std::make_unique<SqliteStore>(
      SqliteStore::Locks{
          std::get<std::unique_ptr<FileLock>>(std::move(locked)),
          std::get<std::unique_ptr<FileLock>>(std::move(itself))},
      std::move(writing), std::move(reading), options.quotas);
  if (const std::string why = store->Prepare(); !why.empty()) {
    return failed(why);
  }
  return std::unique_ptr<ModelStore>(std::move(store));
}

}  // namespace torqued::server
