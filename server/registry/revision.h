// The identity of a model's content.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/validation.h"

namespace torqued::server {

/// Part of the revision, with defaults filled in. Base and mimic mode have one
/// value each so far ("fixed", "independent") and stand in the canonical text
/// all the same, so that revisions stay what they are when others come.
struct RegistrationOptions {
  std::string default_tip;
  Validation validation = Validation::kDefault;

  /// "base=fixed;mimic=independent;validation=default;tip=<name>".
  std::string Canonical() const;
  /// Nothing for a text that this version does not write.
  static std::optional<RegistrationOptions> FromCanonical(
      std::string_view canonical);
};

/// Version of what is hashed into a revision, and part of it.
inline constexpr std::string_view kRevisionLayout = "2";

/// Lower-case hex SHA-256 over (layout, format, source, options), each part
/// preceded by its length as 8 bytes, little-endian.
std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options);
std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options);

/// Lower-case hex SHA-256 of the bytes.
std::string Sha256Hex(std::string_view bytes);

}  // namespace torqued::server
