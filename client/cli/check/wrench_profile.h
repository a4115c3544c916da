// A wrench that changes with time.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Wrenches (moment; force), straight lines between them.
class WrenchProfile {
 public:
  /// CSV with the columns time, mx, my, mz, fx, fy, fz in any order, or CSV
  /// without names or NPY with these 7 in this order; times increase. Throws
  /// DataError.
  explicit WrenchProfile(const std::filesystem::path& path);

  /// As it was read: time, then moment and force.
  const client::Batch& table() const { return table_; }

  /// A row for each time. Throws DataError for a time before the first or
  /// behind the last one: nothing is known there.
  client::Batch At(std::span<const double> times) const;

 private:
  std::string name_;
  client::Batch table_;
};

}  // namespace torqued::cli
