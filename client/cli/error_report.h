// Errors for people and for scripts that read stderr.
#pragma once

#include <iosfwd>
#include <string>

#include "client/cpp/error.h"

namespace torqued::cli {

/// "REASON (field): sentence".
std::string ErrorLine(const client::Error& error);

/// One line "torquectl: REASON (field): sentence", then indented details.
void PrintError(const client::Error& error, std::ostream& out);

}  // namespace torqued::cli
