// Whether the mass properties of links are those of bodies, and what it
// matters.
#pragma once

#include <span>
#include <string_view>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/validation.h"

namespace torqued {

/// What the mass properties of a link enter.
struct Effect {
  /// kg m²: least of the inertias that the joints before the link feel. What is
  /// far below is no digit of an answer.
  double size = 0;
  /// They enter no quantity.
  bool fixed_to_base = false;
  /// An error elsewhere leaves open where the link hangs, or what hangs on it.
  bool place_unknown = false;
  bool size_unknown = false;
};

/// For a link about which nothing else is known.
Effect EffectOf(const LinkDescription& link);

/// Negative masses, negative principal moments and violated triangle
/// inequalities, finite numbers only. A link in which an error was found is
/// marked incomplete. `effects`: one for each link. `way_around` continues the
/// sentence of an error that kLenient would not be: "; or ...". Returns whether
/// kLenient let something pass that kDefault refuses.
///
/// Moments that are negative, or too large, by no more than 1e-6 of their sum,
/// which six digits leave open, or by no more than 1e-12 of the effect's size,
/// which is rounding in the program that wrote them, are no finding. Up to 1e-6
/// of the size is a warning, and so is what may be one once the errors before
/// it are mended. The moments of an incomplete link are not judged.
bool CheckMassProperties(std::span<LinkDescription> links,
                         std::span<const Effect> effects, Validation validation,
                         std::string_view way_around, LintReport& report);

}  // namespace torqued
