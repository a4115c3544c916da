// NumPy's .npz files: named arrays in a ZIP archive.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

struct NpzArrays {
  /// One dimension is one row.
  std::map<std::string, client::Batch> numbers;
  std::map<std::string, std::vector<std::string>> names;
  std::vector<std::string> others;  // what is there and was not wanted
};

/// Names of arrays that are read, by what they hold.
struct NpzWanted {
  std::span<const std::string_view> numbers;
  std::span<const std::string_view> names;
};

/// Of what np.savez and np.savez_compressed write the arrays that are wanted:
/// tables of numbers as of ParseNpyBlock, and lists of names as of
/// ParseNpyNames. Anything else of such a name is a DataError naming `name` and
/// the array.
NpzArrays ParseNpz(std::string_view bytes, const NpzWanted& wanted,
                   const std::string& name);

/// As np.savez writes it.
std::string NpzBytes(const NpzArrays& arrays);

}  // namespace torqued::cli
