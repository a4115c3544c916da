// NumPy's files: an array (.npy), or named arrays in a ZIP archive (.npz).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/formats/container.h"

namespace torqued::cli {

/// By its first bytes.
bool LooksLikeNpy(std::string_view bytes);

/// Reads one array: format versions 1 to 3, floats of 16, 32 or 64 bits and
/// integers of 8 to 64, signed or not, in either order of bytes, C or Fortran
/// order, one or two dimensions (one dimension is one row). Anything else, also
/// a size that does not fit the file, is a DataError naming `name`; nothing is
/// allocated before the size has been checked.
client::Batch ParseNpy(std::string_view bytes, const std::string& name);

/// Reads a list of names (one dimension): of characters, as np.array(["a",
/// "b"]) is, or of bytes in UTF-8.
std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name);

/// Version 1.0, little-endian float64, C order, two dimensions.
std::string NpyBytes(const client::Batch& numbers);

/// Of what np.savez and np.savez_compressed write the arrays "time",
/// "joint_names", "tip_wrench" and those of `tables`; the others are not
/// unpacked. Throws DataError naming `name` and the array, also if what is
/// unpacked is larger than 2 GiB.
StateBlocks ParseNpz(std::string_view bytes, const Suffixes& tables,
                     const std::string& name);

/// As np.savez writes these arrays; equal blocks make equal bytes. What is no
/// UTF-8 in a name becomes U+FFFD.
std::string NpzBytes(const StateBlocks& blocks);

}  // namespace torqued::cli
