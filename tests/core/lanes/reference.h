// Batches by the definitions of rigid-body dynamics.
#pragma once

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {

/// Every quantity of every row alone, in numbers wider than double, on the tree
/// as it is described.
BatchResult Reference(const BatchCase& batch);

}  // namespace torqued::testing_support
