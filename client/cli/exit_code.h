// What torquectl tells its caller.
#pragma once

namespace torqued::cli {

enum class ExitCode : int {
  kOk = 0,
  /// No connection, a refusal of the server, a file that cannot be used.
  kError = 1,
  /// The answer is there, and it says no.
  kNo = 2,
  /// The command line makes no sense (EX_USAGE).
  kUsage = 64,
};

}  // namespace torqued::cli
