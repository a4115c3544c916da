// The gravest of any number of findings, in little memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace torqued {

/// Adds an item to a heap of at most `most`, the least grave on top, which
/// makes room. std::sort_heap with the same order puts the gravest first.
template <class Item, class IsGraver>
void KeepGravest(const Item& item, std::size_t most, IsGraver is_graver,
                 std::vector<Item>* heap) {
  if (heap->size() == most) {
    if (!is_graver(item, heap->front())) return;
    std::pop_heap(heap->begin(), heap->end(), is_graver);
    heap->pop_back();
  }
  heap->push_back(item);
  std::push_heap(heap->begin(), heap->end(), is_graver);
}

}  // namespace torqued
