// Where in a trajectory something stands.
#pragma once

#include <cstdint>

#include "core/trajectory/limit_kind.h"

namespace torqued {

struct SamplePlace {
  std::int64_t row = -1;  // from 0; -1: nowhere
  int joint = -1;         // in the caller's order; -1: none in particular
  /// s since that row, before the next one: between samples. 0: at the row.
  double after = 0;
  /// Which limit it is, where something stands at a limit.
  LimitKind kind = LimitKind::kTorque;
};

}  // namespace torqued
