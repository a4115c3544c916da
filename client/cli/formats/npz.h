// NumPy's .npz files: named arrays in a ZIP archive.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

struct NpzArrays {
  /// One dimension is one row.
  std::map<std::string, client::Batch> numbers;
  std::map<std::string, std::vector<std::string>> names;
};

/// What np.savez and np.savez_compressed write: tables of numbers ('<f8',
/// '<f4') and lists of names ('<U...'). Anything else is a DataError naming
/// `name` and the array.
NpzArrays ParseNpz(std::string_view bytes, const std::string& name);

/// As np.savez writes it.
std::string NpzBytes(const NpzArrays& arrays);

}  // namespace torqued::cli
