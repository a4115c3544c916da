#include "core/batch/input_groups.h"

namespace torqued {
namespace {

constexpr InputBits TakenBy(QuantityBits quantity, InputBits present) {
  InputBits taken = 0;
  for (InputBits left = present; left != 0; left &= left - 1) {
    const int k = __builtin_ctz(left);
    const QuantitySet& readers =
        kInputTraits[static_cast<std::size_t>(k)].readers;
    if ((readers.bits() & quantity) != 0) taken |= InputBits{1} << k;
  }
  return taken;
}

/// How many groups there are where all of the inputs are.
constexpr int CountGroups() {
  std::array<InputBits, kQuantityCount> seen{};
  int count = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    const InputBits taken =
        TakenBy(QuantityBits{1} << k, kInputsOfGeneralTexts);
    bool known = false;
    for (int i = 0; i < count; ++i) {
      known = known || seen[static_cast<std::size_t>(i)] == taken;
    }
    if (!known) seen[static_cast<std::size_t>(count++)] = taken;
  }
  return count;
}
static_assert(CountGroups() <= kMaxInputGroups);

}  // namespace

InputGroups::InputGroups(const EvaluationInputs& inputs,
                         QuantitySet quantities) {
  const InputBits present = GeneralInputs(inputs);
  if (present == 0) {
    groups_[0].quantities = quantities;
    count_ = 1;
    return;
  }
  for (QuantityBits left = quantities.bits(); left != 0; left &= left - 1) {
    const QuantityBits quantity = left & -left;
    Add(quantity, TakenBy(quantity, present));
  }
}

void InputGroups::Add(QuantityBits quantity, InputBits taken) {
  int k = 0;
  while (k < count_ && groups_[static_cast<std::size_t>(k)].taken != taken) {
    ++k;
  }
  InputGroup& to = groups_[static_cast<std::size_t>(k)];
  if (k == count_) {
    to.taken = taken;
    ++count_;
  }
  to.quantities = to.quantities | QuantitySet(quantity);
}

}  // namespace torqued
