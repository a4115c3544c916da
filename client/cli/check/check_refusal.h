// What a server refuses of a check, told of the file where it stands.
#pragma once

#include <filesystem>

#include "client/cli/errors.h"
#include "client/cli/table_file.h"
#include "client/cpp/error.h"

namespace torqued::cli {

/// A file of limits cannot be used, whatever the trajectory.
class LimitsError : public DataError {
 public:
  using DataError::DataError;
};

/// Throws DataError where a sample of the table is refused, LimitsError where
/// a joint of the file of limits is. Returns where neither is at fault.
void ThrowOfFile(const client::Error& error, const StateTable& table,
                 const std::filesystem::path& limits);

}  // namespace torqued::cli
