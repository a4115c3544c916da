// NumPy's .npy files.
#pragma once

#include <string>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Version 1.0, little-endian float64, C order, two dimensions.
std::string NpyBytes(const client::Batch& numbers);

}  // namespace torqued::cli
