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

/// Of what np.savez and np.savez_compressed write the arrays of the wanted
/// names: tables of numbers as of ParseNpy, and lists of names ('<U...').
/// Anything else of such a name is a DataError naming `name` and the array.
NpzArrays ParseNpz(std::string_view bytes,
                   std::span<const std::string_view> wanted,
                   const std::string& name);

/// As np.savez writes it.
std::string NpzBytes(const NpzArrays& arrays);

}  // namespace torqued::cli
