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

/// Version of what is hashed into a revision, and part of it. In layout 1
/// "strict=0" and "strict=1" stood for what are the validations default and
/// strict now.
inline constexpr std::string_view kRevisionLayout = "2";

/// Lower-case hex SHA-256 over (layout, format, source, options), each part
/// preceded by its length as 8 bytes, little-endian.
std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options,
                            std::string_view layout = kRevisionLayout);
std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options);

/// What options of layout 1 are in this one; as they are where no version wrote
/// such.
std::string FromLayout1(std::string_view canonical_options);
/// The other way round.
std::string ToLayout1(std::string_view canonical_options);

/// Lower-case hex SHA-256 of the bytes.
std::string Sha256Hex(std::string_view bytes);

}  // namespace torqued::server
