// What a file may have meant by a name that is not the one looked for.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace torqued::cli {

/// "; did you mean elbw.q?": of the names that are there the nearest to `name`.
/// Empty where none is near. Those that are `right` mean themselves.
std::string NearHint(std::string_view name, std::span<const std::string> there,
                     const std::set<std::string>& right);

}  // namespace torqued::cli
