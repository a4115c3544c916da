#include "tests/core/model/slot_passes.h"

#include <optional>
#include <vector>

namespace torqued {
namespace {

using Body = LoweredBody<double>;

// Bodies by number, through the memory that the layout provides: what the body
// before left, and the slots.
class SlotMemory {
 public:
  explicit SlotMemory(int slots) : slots_(slots) {}

  // False, and nothing done, beyond the slots.
  bool Save(int slot, int value) {
    if (slot < 0 || slot >= static_cast<int>(slots_.size())) return false;
    slots_[slot] = value;
    return true;
  }
  std::optional<int> Load(int slot) const {
    if (slot < 0 || slot >= static_cast<int>(slots_.size())) return {};
    return slots_[slot];
  }

 private:
  std::vector<std::optional<int>> slots_;
};

}  // namespace

bool EveryChildFindsItsParent(const LoweredTreeOf<double>& tree) {
  SlotMemory memory(tree.slots);
  for (int i = 0; i < tree.n; ++i) {
    const Body& body = tree.bodies[i];
    if (body.parent != kBase) {
      const Body& parent = tree.bodies[body.parent];
      const std::optional<int> found =
          parent.branches ? memory.Load(parent.slot) : i - 1;
      if (found != body.parent) return false;
    }
    if (body.branches && !memory.Save(body.slot, i)) return false;
    if (!body.branches && body.slot != -1) return false;
  }
  return true;
}

bool EveryParentFindsItsChildren(const LoweredTreeOf<double>& tree) {
  std::vector<int> size(tree.n, 1);
  for (int i = tree.n; i-- > 0;) {
    if (tree.bodies[i].parent != kBase) size[tree.bodies[i].parent] += size[i];
  }
  SlotMemory memory(tree.slots);
  int passed = 0;  // by the body after this one
  for (int i = tree.n; i-- > 0;) {
    const Body& body = tree.bodies[i];
    int carried = 0;
    if (body.branches) {
      carried = memory.Load(body.slot).value_or(-1);
    } else if (i + 1 < tree.n && tree.bodies[i + 1].parent == i) {
      carried = passed;
    }
    if (carried + 1 != size[i]) return false;
    passed = carried + 1;
    if (body.parent == kBase || !tree.bodies[body.parent].branches) {
      if (body.last_child) return false;
      continue;
    }
    const int slot = tree.bodies[body.parent].slot;
    const int sum = body.last_child ? 0 : memory.Load(slot).value_or(-1);
    if (!memory.Save(slot, sum + passed)) return false;
  }
  return true;
}

}  // namespace torqued
