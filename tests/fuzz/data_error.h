// What must hold for a file that the command line refuses.
#pragma once

#include <algorithm>
#include <string_view>

#include "client/cli/errors.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {

/// The file is named, and the sentence is short and has nothing in it that
/// would steer a terminal.
inline void CheckDataError(const cli::DataError& error, std::string_view file) {
  const std::string_view message = error.what();
  FUZZ_REQUIRE(message.starts_with(file), message);
  FUZZ_REQUIRE(message.size() < file.size() + 500, message);
  FUZZ_REQUIRE(std::none_of(message.begin(), message.end(),
                            [](unsigned char c) { return c < 0x20; }),
               message);
}

}  // namespace torqued::fuzz
