// How much is asked of a description before it becomes a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace torqued {

/// How mass properties that no body can have, and joints that move no mass, are
/// judged. What cannot be read, no tree of links, and
/// numbers beyond double precision are errors whatever is chosen.
enum class Validation : std::uint8_t {
  /// An error where an answer follows from it, a warning where none does (the
  /// link is fixed to the base) or where it is known to be harmless (one moment
  /// above the sum of the others).
  kDefault,
  /// An error always.
  kStrict,
  /// A warning, as long as the mass matrix is regular: see
  /// BuildOptions::singular_joint.
  kLenient,
};

/// "default", "strict", "lenient".
std::string_view ToString(Validation validation);
/// Nothing for any other text.
std::optional<Validation> FindValidation(std::string_view name);

}  // namespace torqued
