// Where registrations live: what the registry asks of a database.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace torqued::server {

/// Stored with microsecond resolution.
using StoreTime = std::chrono::time_point<std::chrono::system_clock,
                                          std::chrono::microseconds>;

struct StoreError {
  enum class Code : std::uint8_t {
    kUnavailable,  // may pass: locked, disk full, connection lost
    kDamaged,      // will not: what is stored cannot be read back
  };
  Code code = Code::kUnavailable;
  std::string message;
};

template <class T>
using OrStoreError = std::variant<T, StoreError>;

/// What a revision was when it was last loaded, for lists.
struct RevisionSummary {
  std::string format;   // empty where the content is damaged
  std::int64_t nq = 0;  // sizes of q and v; 0 where it does not load
  std::int64_t nv = 0;
  std::string problem = {};  // why it does not load; empty: it does

  bool operator==(const RevisionSummary&) const = default;
};

/// By revision.
using Summaries = std::map<std::string, RevisionSummary>;

/// Content under its hash; never altered once stored.
struct StoredRevision {
  std::string revision;
  std::string format;
  std::string source;
  std::string options;  // canonical text
  StoreTime created_at;
  std::optional<RevisionSummary> summary;  // as last stored; none yet, damaged
};

/// A revision that a name points at or has pointed at.
struct Registration {
  std::string name;
  std::string revision;
  StoreTime registered_at;          // when the name was last pointed at it
  std::vector<std::string> labels;  // of this revision under this name, sorted
  /// What in the store is damaged on the way from the name to the revision, as
  /// a clause; empty: nothing. The members say what is stored.
  std::string damage;
};

/// A current registration in a list, without labels.
struct ListedName {
  std::string name;
  std::string revision;
  StoreTime registered_at;
  std::string damage;                      // as in Registration
  std::optional<RevisionSummary> summary;  // none yet, or it is damaged
};

/// Where a prefix leads.
struct FoundRevision {
  std::string revision;
  std::string damage;  // as in Registration

  bool operator==(const FoundRevision&) const = default;
};

/// One registration as a whole. The views need live only during the call.
struct RegistrationChange {
  std::string_view name;
  std::string_view revision;
  std::string_view format;
  std::string_view source;
  std::string_view options;
  /// When present, replaces what is stored.
  std::optional<RevisionSummary> summary;
  /// When present, the name must point there; "" = must not exist.
  std::optional<std::string_view> expected_current;
  /// Empty: none. A label in use under this name moves.
  std::string_view label;
  /// When present, remembered as the content last loaded from the directory.
  std::optional<std::string_view> directory_hash;
  StoreTime now;
};

/// The name points at the revision.
struct Registered {
  Registration registration;
  bool changed = false;  // the name is new or pointed elsewhere before
};

struct Deleted {
  /// Revisions that no other name has had; gone with the name.
  std::vector<std::string> removed_revisions;
};

/// `expected_current` did not hold; nothing was changed.
struct RevisionConflict {
  std::string current;  // empty: the name does not exist
};

struct NameNotFound {};

/// What a store may hold. One that holds more already is served and changed all
/// the same, as far as nothing is added.
struct StoreQuotas {
  std::int64_t models = 10'000;
  std::int64_t revisions = 100'000;
  std::int64_t bytes = std::int64_t{4} << 30;  // of the file, used

  /// Of one name; a reply about a model lists them.
  static constexpr std::int64_t kLabels = 1000;
};

/// A registration would exceed a quota; nothing was changed.
struct QuotaReached {
  enum class Of : std::uint8_t { kModels, kRevisions, kBytes, kLabels };
  Of of = Of::kModels;
  std::int64_t limit = 0;
};

using RegistrationOutcome =
    std::variant<Registered, RevisionConflict, QuotaReached, StoreError>;

/// Thread-safe. Every call is atomic: it happens as a whole or not at all, sees
/// no half of another, and what a call acknowledged survives a crash of the
/// process and of the machine. Absence is a value, not an error.
class ModelStore {
 public:
  virtual ~ModelStore() = default;

  /// Stores content that is not there yet and points the name at it. Content
  /// that was damaged in the store, and what was on the way to it, is replaced.
  /// What the expected revision was in an older layout is as good as itself.
  virtual RegistrationOutcome Register(const RegistrationChange& change) = 0;

  /// Removes the name with its history and labels, and the revisions that no
  /// other name has had. The directory hash stays, so that a name deleted by
  /// call does not come back at the next start from an unchanged file.
  virtual std::variant<Deleted, NameNotFound, RevisionConflict, StoreError>
  Delete(std::string_view name,
         const std::optional<std::string>& expected_current) = 0;

  /// What the name points at.
  virtual OrStoreError<std::optional<Registration>> FindCurrent(
      std::string_view name) = 0;

  virtual OrStoreError<std::optional<Registration>> FindLabel(
      std::string_view name, std::string_view label) = 0;

  /// Revisions that the name has had and that start with the prefix, or did in
  /// an older layout, in byte order.
  virtual OrStoreError<std::vector<Registration>> FindInHistory(
      std::string_view name, std::string_view prefix, std::size_t limit) = 0;

  /// All revisions that start with the prefix, or did in an older layout, in
  /// byte order.
  virtual OrStoreError<std::vector<FoundRevision>> FindRevisions(
      std::string_view prefix, std::size_t limit) = 0;

  /// Of a revision's source, which is not read.
  virtual OrStoreError<std::optional<std::int64_t>> SourceBytes(
      std::string_view revision) = 0;

  virtual OrStoreError<std::optional<StoredRevision>> ReadRevision(
      std::string_view revision) = 0;

  /// Current registrations of the names after `after`, in byte order of names.
  virtual OrStoreError<std::vector<ListedName>> ListNames(
      std::string_view after, std::size_t limit) = 0;

  /// The names next to `name`, which there need not be: up to `limit` in byte
  /// order, as many before it as after it where there are.
  virtual OrStoreError<std::vector<std::string>> NamesAround(
      std::string_view name, std::size_t limit) = 0;

  /// Replaces the summaries of revisions, as far as these are still there;
  /// fails while something else is written. Nothing on success.
  virtual std::optional<StoreError> WriteSummaries(
      const Summaries& summaries) = 0;

  /// Hash of the content last loaded for the name from a directory.
  virtual OrStoreError<std::optional<std::string>> FindDirectoryHash(
      std::string_view name) = 0;

  /// Notes it anew, and nothing else. Nothing on success.
  virtual std::optional<StoreError> SetDirectoryHash(std::string_view name,
                                                     std::string_view hash) = 0;
};

}  // namespace torqued::server
