#include "server/registry/model_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/base/text.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

// `h` is a row of history.
constexpr std::string_view kSelectRegistration =
    "SELECT h.name, h.revision, h.registered_at,"
    " (SELECT group_concat(label, ' ') FROM"
    "  (SELECT label FROM labels AS l"
    "   WHERE l.name = h.name AND l.revision = h.revision ORDER BY label))"
    " FROM history AS h ";

// The revision is the hash of all three, which the caller has just computed: a
// row that differs is damaged.
constexpr std::string_view kInsertRevision =
    "INSERT INTO revisions VALUES (?1, ?2, ?3, CAST(?4 AS BLOB), ?5)"
    " ON CONFLICT DO UPDATE SET"
    "  format = excluded.format, options = excluded.options,"
    "  source = excluded.source"
    " WHERE (format, options, source) IS NOT"
    "  (excluded.format, excluded.options, excluded.source)";

constexpr std::string_view kMoveLabel =
    "INSERT INTO labels VALUES (?1, ?2, ?3)"
    " ON CONFLICT DO UPDATE SET revision = ?3 WHERE revision <> ?3";

constexpr std::string_view kSetFileHash =
    "INSERT INTO directory_files VALUES (?1, ?2)"
    " ON CONFLICT DO UPDATE SET content_hash = ?2 WHERE content_hash <> ?2";

constexpr std::string_view kWriteSummary =
    "INSERT INTO summaries VALUES (?1, ?2, ?3, ?4, ?5)"
    " ON CONFLICT DO UPDATE SET format = ?2, nq = ?3, nv = ?4, problem = ?5"
    " WHERE (format, nq, nv, problem) IS NOT (?2, ?3, ?4, ?5)";

constexpr std::string_view kRemoveRevisions =
    "DELETE FROM revisions"
    " WHERE revision IN (SELECT revision FROM history WHERE name = ?1)"
    " AND NOT EXISTS (SELECT 1 FROM history AS h"
    "  WHERE h.revision = revisions.revision AND h.name <> ?1)";

Registration ReadRegistration(const SqliteRun& row) {
  Registration read{.name = row.Text(0),
                    .revision = row.Text(1),
                    .registered_at = StoreTime(microseconds(row.Integer(2)))};
  // Labels hold no spaces.
  std::istringstream labels(row.Text(3));
  for (std::string label; labels >> label;) read.labels.push_back(label);
  return read;
}

std::string CurrentRevision(SqliteConnection& sqlite, std::string_view name) {
  return sqlite.One(FirstText, "SELECT revision FROM names WHERE name = ?1",
                    name);
}

/// Throws unless `expected`, if present, is `current`. Empty: no model.
void Expect(std::string_view name, const std::optional<std::string>& expected,
            const std::string& current) {
  if (!expected || *expected == current) return;
  RegistryError error{
      .code = RegistryError::Code::kConflict,
      .message = Cat("model ", Quoted(name),
                     current.empty() ? " does not exist" : " is at revision ",
                     current, ", expected_current is ", Quoted(*expected)),
      .field = "expected_current"};
  if (!current.empty()) error.candidates.push_back(current);
  throw error;
}

/// Throws if there are as many as may be.
void ExpectRoom(std::int64_t there, std::int64_t limit, std::string_view what,
                std::string_view setting) {
  if (there < limit) return;
  throw RegistryError{
      .code = RegistryError::Code::kQuota,
      .message = Cat("the model store is full: it takes at most ",
                     std::to_string(limit), what,
                     "; delete models that are not needed"),
      .limit = limit,
      .setting = setting};
}

/// Makes the folders above; the path is without symbolic links.
std::string FileOfStore(const std::string& path) {
  // SQLite takes such names for databases in memory and for URIs.
  if (path.empty() || path.starts_with(':') || path.starts_with("file:")) {
    throw StoreError("not the path of a file");
  }
  const fs::path file = fs::absolute(path);
  fs::create_directories(file.parent_path());
  if (fs::is_directory(file)) {
    throw StoreError("the path is a directory");
  }
  return fs::weakly_canonical(file).string();
}

}  // namespace

ModelStore::Lock::Lock(const std::string& path)
    : fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    std::string pid;
    std::ifstream(path) >> pid;
    throw StoreError(
        error == EWOULDBLOCK
            ? "the file is in use by another torqued (pid " + pid + ")"
            : Cat("cannot lock ", path, ": ", std::strerror(error)));
  }
  // For the message of the next one; the lock holds without it.
  std::ofstream(path) << getpid() << '\n';
}

ModelStore::Lock::~Lock() { close(fd); }

ModelStore::ModelStore(const std::string& path, std::int64_t max_models) try
    : file_(FileOfStore(path)),
      lock_(file_ + ".lock"),
      max_models_(max_models),
      writer_(file_),
      names_(file_),
      sources_(file_) {
  PrepareSchema(writer_);
} catch (const std::exception& error) {
  throw StoreError(Cat("model database ", path, ": ", error.what()));
}

Registration ModelStore::Register(const RegisterRequest& request,
                                  const LoadedRevision& loaded,
                                  std::string* before) {
  const std::string& name = request.name;
  const std::string& revision = loaded.revision;
  const std::int64_t now = std::chrono::duration_cast<microseconds>(
                               StoreTime::clock::now().time_since_epoch())
                               .count();
  return writer_.Transact([&] {
    *before = CurrentRevision(writer_, name);
    Expect(name, request.expected_current, *before);
    if (before->empty()) {
      ExpectRoom(writer_.One(FirstInteger, "SELECT count(*) FROM names"),
                 max_models_, " models (max-models)", "max-models");
    }
    writer_.Run(kInsertRevision, revision, loaded.format,
                loaded.options->Canonical(), loaded.source, now);
    const RevisionSummary is = loaded.Summary();
    writer_.Run(kWriteSummary, revision, is.format, is.nq, is.nv, is.problem);
    if (*before != revision) {
      writer_.Run("REPLACE INTO history VALUES (?1, ?2, ?3)", name, revision,
                  now);
      writer_.Run("REPLACE INTO names VALUES (?1, ?2)", name, revision);
    }
    if (!request.label.empty()) {
      ExpectRoom(writer_.One(FirstInteger,
                             "SELECT count(*) FROM labels"
                             " WHERE name = ?1 AND label <> ?2",
                             name, request.label),
                 kMaxLabels, " labels of a model", "");
      writer_.Run(kMoveLabel, name, request.label, revision);
    }
    if (!request.file_hash.empty()) {
      writer_.Run(kSetFileHash, name, request.file_hash);
    }
    return writer_.One(
        ReadRegistration,
        Cat(kSelectRegistration, "WHERE h.name = ?1 AND h.revision = ?2"), name,
        revision);
  });
}

std::string ModelStore::Delete(
    std::string_view name, const std::optional<std::string>& expected_current) {
  return writer_.Transact([&] {
    std::string before = CurrentRevision(writer_, name);
    if (before.empty()) return before;
    Expect(name, expected_current, before);
    // Revisions go before the history that refers to them and tells which go.
    writer_.Execute("PRAGMA defer_foreign_keys = ON");
    writer_.Run(kRemoveRevisions, name);
    for (const char* table : {"labels", "names", "history"}) {
      writer_.Run(Cat("DELETE FROM ", table, " WHERE name = ?1"), name);
    }
    return before;
  });
}

std::vector<Registration> ModelStore::Find(const ModelReference& reference,
                                           std::int64_t limit) {
  const auto& [name, prefix, label] = reference;
  // 'g' comes after all hex digits.
  if (name.empty()) {
    return names_.All(ReadRegistration,
                      "SELECT NULL, revision, NULL, NULL FROM revisions"
                      " WHERE revision >= ?1 AND revision < ?1 || 'g'"
                      " ORDER BY revision LIMIT ?2",
                      prefix, limit);
  }
  const std::string_view which =
      !prefix.empty()  ? "h.revision >= ?2 AND h.revision < ?2 || 'g'"
      : !label.empty() ? "h.revision ="
                         " (SELECT revision FROM labels"
                         "  WHERE name = ?1 AND label = ?2)"
                       : "h.revision ="
                         " (SELECT revision FROM names WHERE name = ?1)";
  return names_.All(ReadRegistration,
                    Cat(kSelectRegistration, "WHERE h.name = ?1 AND ", which,
                        " ORDER BY h.revision LIMIT ?3"),
                    name, prefix.empty() ? label : prefix, limit);
}

std::int64_t ModelStore::SourceBytes(std::string_view revision) {
  return sources_.One(
      FirstInteger, "SELECT length(source) FROM revisions WHERE revision = ?1",
      revision);
}

std::optional<StoredRevision> ModelStore::ReadRevision(
    std::string_view revision) {
  return sources_.One(
      [](const SqliteRun& row) {
        return std::optional(StoredRevision{.revision = row.Text(0),
                                            .format = row.Text(1),
                                            .source = row.Text(2),
                                            .options = row.Text(3)});
      },
      "SELECT revision, format, source, options FROM revisions"
      " WHERE revision = ?1",
      revision);
}

std::vector<ListedModel> ModelStore::ListNames(std::string_view after,
                                               std::int64_t limit) {
  return names_.All(
      [](const SqliteRun& row) {
        return ListedModel{ReadRegistration(row),
                           {.format = row.Text(4),
                            .nq = row.Integer(5),
                            .nv = row.Integer(6),
                            .problem = row.Text(7)}};
      },
      "SELECT n.name, n.revision, h.registered_at, NULL,"
      " s.format, s.nq, s.nv, s.problem"
      " FROM names AS n JOIN history AS h USING (name, revision)"
      " LEFT JOIN summaries AS s ON s.revision = n.revision"
      " WHERE n.name > ?1 ORDER BY n.name LIMIT ?2",
      after, limit);
}

std::vector<std::string> ModelStore::NamesAround(std::string_view name,
                                                 std::int64_t limit) {
  return names_.All(
      FirstText,
      "SELECT name FROM"
      " (SELECT name FROM names WHERE name < ?1 ORDER BY name DESC LIMIT ?2)"
      " UNION ALL SELECT name FROM"
      " (SELECT name FROM names WHERE name >= ?1 ORDER BY name LIMIT ?2)"
      " ORDER BY 1",
      name, limit);
}

void ModelStore::WriteSummary(std::string_view revision,
                              const RevisionSummary& summary) {
  Answer([&] {
    writer_.TryRun(kWriteSummary, revision, summary.format, summary.nq,
                   summary.nv, summary.problem);
    return true;
  });
}

std::string ModelStore::FileHash(std::string_view name) {
  return names_.One(FirstText,
                    "SELECT content_hash FROM directory_files WHERE name = ?1",
                    name);
}

}  // namespace torqued::server
