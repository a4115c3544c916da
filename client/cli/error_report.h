// Errors for people and for scripts that read stderr.
#pragma once

#include <iosfwd>
#include <string>

#include "client/cli/flag_names.h"
#include "client/cpp/error.h"

namespace torqued::cli {

/// "REASON (flag): sentence".
std::string ErrorLine(const client::Error& error, const FlagNames& names = {});

/// One line "torquectl: REASON (flag): sentence", then indented details.
void PrintError(const client::Error& error, const FlagNames& names,
                std::ostream& out);

}  // namespace torqued::cli
