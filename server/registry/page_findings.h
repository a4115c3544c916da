// What SQLite says of the pages of a database.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued::server {

/// Of a row of `PRAGMA integrity_check` or `quick_check`, which may hold many
/// lines: one finding each; none for "ok".
std::vector<std::string> PageFindings(std::string_view row);

}  // namespace torqued::server
