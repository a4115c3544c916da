// Where a computation of one state that takes long can be interrupted.
//
// Free of standard headers, so that units compiled for different instruction
// sets can share it.
#pragma once

#include "core/spatial/target.h"

namespace torqued {

/// What a text of many columns is interrupted by, from column to column. The
/// numbers never depend on it, unless they are given up.
struct Pauses {
  /// Products and sums, roughly, from one pause to the next.
  long long every;
  /// Lets others have the thread. True: the numbers are not wanted any longer.
  bool (*pause)(void* what);
  void* what;
  /// Products and sums that are left to the next pause.
  long long left;
  bool given_up = false;
};

inline namespace TORQUED_TARGET {

/// After so many products and sums of a text; null: it has no pauses. True: to
/// be left at once, whatever its results are.
TORQUED_INLINE bool GiveUpAfter(Pauses* pauses, long long operations) {
  if (pauses == nullptr) return false;
  pauses->left -= operations;
  if (pauses->left > 0) [[likely]] {
    return pauses->given_up;
  }
  pauses->left = pauses->every;
  if (!pauses->given_up) pauses->given_up = pauses->pause(pauses->what);
  return pauses->given_up;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
