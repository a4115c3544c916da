// ZIP archives in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace torqued::cli {

/// Contents by name.
using ZipEntries = std::map<std::string, std::string>;

/// By its first bytes.
bool LooksLikeZip(std::string_view bytes);

/// All entries, stored or deflated, sums checked. `name` stands in the
/// DataError thrown where that fails, or where an entry is larger than its
/// compressed bytes can make it.
ZipEntries ReadZip(std::string_view bytes, const std::string& name);

/// Without compression. Equal entries make equal bytes.
std::string ZipBytes(const ZipEntries& entries);

}  // namespace torqued::cli
