// Files that a command writes, before anything is computed.
#pragma once

#include <string>
#include <vector>

namespace torqued::cli {

struct FlaggedPath {
  std::string flag;  // "--html"
  std::string path;  // empty: not given
};

/// Throws UsageError where two outputs are one file, or an output is a file
/// that is read, by whatever names and links. Devices and pipes take several.
void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs);

}  // namespace torqued::cli
