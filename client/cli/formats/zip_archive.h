// ZIP archives in memory.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace torqued::cli {

/// Contents by name.
using ZipEntries = std::map<std::string, std::string>;

/// By its first bytes.
bool LooksLikeZip(std::string_view bytes);

/// The entries that `is_wanted`, stored or deflated, sums checked; the others
/// are not unpacked. Throws DataError naming `name` if that fails, or if they
/// are larger than 2 GiB.
ZipEntries ReadZip(std::string_view bytes,
                   const std::function<bool(std::string_view)>& is_wanted,
                   const std::string& name);

/// Without compression. Equal entries make equal bytes.
std::string ZipBytes(const ZipEntries& entries);

}  // namespace torqued::cli
