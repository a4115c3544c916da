// NumPy's .npy files.
#pragma once

#include <string>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Version 1.0, little-endian float64, C order, two dimensions.
std::string NpyBytes(const client::Batch& numbers);

/// A list of names in UTF-8, as np.array(["a", "b"]) is: '<U...'. What is no
/// UTF-8 becomes U+FFFD.
std::string NpyNamesBytes(const std::vector<std::string>& names);

}  // namespace torqued::cli
