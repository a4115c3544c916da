// Which quantities are computed together.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/batch/evaluation.h"
#include "core/batch/input_traits.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Quantities that take the same of the inputs which change the way quantities
/// are computed: motion of the base, gravity of the state, external wrenches.
/// Nothing else than what a quantity takes itself may decide how it is
/// computed, or its bits depend on what is asked for beside it.
struct InputGroup {
  QuantitySet quantities;
  InputBits taken = 0;  // of those inputs

  /// Whether the lowered texts, which know none of those inputs, may compute
  /// it.
  bool plain() const { return taken == 0; }
};

/// The inputs that the lowered texts do not know.
inline constexpr InputBits kInputsOfGeneralTexts =
    Bit(Input::kBaseTwist) | Bit(Input::kBaseAcceleration) |
    Bit(Input::kExternalWrenches) | Bit(Input::kGravity);

/// Those of them that are there.
inline InputBits GeneralInputs(const EvaluationInputs& inputs) {
  InputBits present = 0;
  for (InputBits left = kInputsOfGeneralTexts; left != 0; left &= left - 1) {
    const auto input = static_cast<Input>(__builtin_ctz(left));
    if (TableOf(inputs, input).present()) present |= Bit(input);
  }
  return present;
}

/// What quantities are cut into: in the order of their first members; together
/// they are all of them.
class InputGroups {
 public:
  /// Allocates nothing.
  InputGroups(const EvaluationInputs& inputs, QuantitySet quantities);

  std::span<const InputGroup> all() const {
    return {groups_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  void Add(QuantityBits quantity, InputBits taken);

  std::array<InputGroup, kMaxInputGroups> groups_{};
  int count_ = 0;
};

}  // namespace torqued
