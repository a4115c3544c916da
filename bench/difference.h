// How far two answers to the same question are apart.
#pragma once

#include <cstdint>

#include "bench/evaluation_run.h"
#include "bench/peers/peer.h"

namespace torqued::bench {

struct Difference {
  /// Over all states and results: the largest difference of two numbers of a
  /// result, divided by the result's largest number. NaN where one is not
  /// finite.
  double largest = 0;
  /// The same, where Λ and η of a state are first divided by the condition
  /// number of Λ, by which rounding grows. What a tolerance applies to.
  double conditioned = 0;
};

/// Of all states of the peer, which are the first of those that `ours` holds
/// the evaluated results of.
Difference DifferenceOf(const LoadedPeer& theirs, const EvaluationRun& ours,
                        Quantity quantity);

}  // namespace torqued::bench
