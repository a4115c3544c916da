// A file of a robot that the server refuses.
#pragma once

#include <iosfwd>
#include <string>

#include "client/cpp/client.h"

namespace torqued::cli {

/// Where the server has refused the source, tells all findings with file and
/// line, which the error does not hold, and throws AlreadyTold. Returns where
/// the error is of another kind.
void TellRefusal(const client::Error& error,
                 const v1::RegisterModelRequest& request,
                 const std::string& file, const client::Client& client,
                 std::ostream& err);

}  // namespace torqued::cli
