// NumPy's .npy files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Reads one array: format versions 1 to 3, floats of 16, 32 or 64 bits and
/// integers of 8 to 64, signed or not, in either order of bytes, C or Fortran
/// order, one or two dimensions (one dimension is one row), at least one
/// column. Anything else, also a size that does not fit the file, is a
/// DataError naming `name`; nothing is allocated before the size has been
/// checked.
client::Batch ParseNpy(std::string_view bytes, const std::string& name);

/// As ParseNpy, and without columns, too: of a robot without joints.
client::Batch ParseNpyBlock(std::string_view bytes, const std::string& name);

/// Reads a list of names (one dimension): of characters, as np.array(["a",
/// "b"]) is, or of bytes in UTF-8.
std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name);

}  // namespace torqued::cli
