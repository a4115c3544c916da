// The outside of NumPy's .npy files: what an array is, and its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

struct NpyArray {
  std::string descr;  // "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::string_view data;  // a part of the bytes that were parsed

  /// Numbers of rows and columns of at most two dimensions: one dimension is
  /// one row.
  std::uint64_t rows() const { return shape.size() == 1 ? 1 : shape[0]; }
  std::uint64_t columns() const { return shape.back(); }
};

/// By its first bytes.
bool LooksLikeNpy(std::string_view bytes);

/// Format versions 1 to 3, one or two dimensions. The size of the data is not
/// looked at. Throws DataError naming `name`.
NpyArray ParseNpyArray(std::string_view bytes, const std::string& name);

/// Whether `data` holds exactly rows x columns items of so many bytes.
bool HoldsItems(const NpyArray& array, std::uint64_t item);

}  // namespace torqued::cli
