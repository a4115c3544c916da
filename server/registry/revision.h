// Revisions: the identity of a model's content, as stored and as loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/lint.h"
#include "core/model/model.h"

namespace torqued::server {

/// Part of the revision, with defaults filled in. Base and mimic mode have one
/// value each so far ("fixed", "independent") and are in the canonical text
/// nevertheless, so that revisions do not change when others are added.
struct RegistrationOptions {
  std::string default_tip = {};
  Validation validation = Validation::kDefault;

  /// "base=fixed;mimic=independent;validation=default;tip=<name>".
  std::string Canonical() const;
  /// Nothing for a text that this version does not write.
  static std::optional<RegistrationOptions> FromCanonical(
      std::string_view canonical);
};

/// Version of what is hashed into a revision, and part of it.
inline constexpr std::string_view kRevisionLayout = "2";

/// Sha256Hex over (layout, format, source, options), each part preceded by its
/// length as 8 bytes, little-endian.
std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options);
std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options);

/// Lower-case hex SHA-256 of the bytes.
std::string Sha256Hex(std::string_view bytes);

/// The summary of a revision at its last load, for lists; default: unknown.
struct RevisionSummary {
  std::string format = {};  // empty if the content is damaged
  std::int64_t nq = 0;      // sizes of q and v; 0 if it does not load
  std::int64_t nv = 0;
  std::string problem = {};  // why it does not load; empty: it does

  bool operator==(const RevisionSummary&) const = default;
};

/// Content under its hash; never altered once stored.
struct StoredRevision {
  std::string revision;
  std::string format = {};
  std::string source = {};
  std::string options = {};  // canonical text
};

/// One revision, loaded. Immutable and shared.
struct LoadedRevision {
  std::string revision;
  std::string format = {};  // "urdf"; whatever is stored
  std::string source = {};
  /// Nothing if this version cannot read what is stored.
  std::optional<RegistrationOptions> options = {};
  std::shared_ptr<const Model> model = {};  // null: broken
  LintReport report = {};
  std::string problem = {};  // why it is broken

  RevisionSummary Summary() const;
};

using LoadedPointer = std::shared_ptr<const LoadedRevision>;

/// Parses and validates. A broken model once `cancelled`, if given, is true.
LoadedPointer LoadRevision(std::string_view format, std::string source,
                           const RegistrationOptions& options,
                           const std::function<bool()>& cancelled = {});

/// Broken if the content is not what the revision is a hash of.
LoadedPointer LoadFromStore(StoredRevision stored);

}  // namespace torqued::server
