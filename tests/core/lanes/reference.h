// Batches by the scalar algorithms of core/dynamics.
#pragma once

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {

/// Every quantity of every row alone, in double precision, on the tree as it is
/// described: another route than the kernels take.
BatchResult Reference(const BatchCase& batch);

}  // namespace torqued::testing_support
