// Numbers as text, independent of the locale.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace torqued {

/// Reads one finite decimal number, which must be the whole text but for
/// surrounding white space and a leading '+'. One that is too small for double
/// precision is 0. Returns nothing when it is one, else what is wrong, as in
/// "is not a number".
std::string ParseNumber(std::string_view text, double& value);

/// Reads as many numbers, separated by white space, as `values` has places;
/// none may be missing or left over. On failure `values` is unspecified.
std::string ParseNumbers(std::string_view text, std::span<double> values);

}  // namespace torqued
