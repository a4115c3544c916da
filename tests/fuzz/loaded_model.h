// What must hold for everything that the loader returns.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/description.h"

namespace torqued::fuzz {

/// A model or errors; every finding with code, sentence and place, in clean
/// text of bounded length.
void CheckLoadResult(std::string_view source, const LoadResult& result);

/// The same model or refusal, finding by finding.
void CheckSame(const LoadResult& a, const LoadResult& b);

/// Whether the mass properties are those of bodies: no moment is negative.
enum class Bodies : std::uint8_t { kPossible, kAny };

/// Every quantity at two states: a number that is not finite is accounted for
/// by its row's issue.
void CheckEvaluation(const std::shared_ptr<const Model>& model,
                     Bodies bodies = Bodies::kPossible);

}  // namespace torqued::fuzz
