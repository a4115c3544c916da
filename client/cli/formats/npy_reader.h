// NumPy's .npy files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Reads one array: format versions 1 to 3, little-endian float64, float32,
/// int64 or int32,
/// C or Fortran order, one or two dimensions (one dimension is one row).
/// Anything else, also a size that does not fit the file, is a DataError naming
/// `name`; nothing is allocated before the size has been checked.
client::Batch ParseNpy(std::string_view bytes, const std::string& name);

client::Batch ReadNpy(const std::filesystem::path& path);

/// Reads a list of names ('<U...', one dimension), as np.array(["a", "b"]) is.
std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name);

}  // namespace torqued::cli
