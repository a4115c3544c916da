// Numbers as text, independent of the locale.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace torqued {

/// Reads one finite decimal number. The text may have white space around it and
/// a leading '+'. A number that is too small for double precision is read as 0.
/// Returns an empty text if it succeeds, else the problem: "'x' is not a
/// number".
std::string ParseNumber(std::string_view text, double& value);

/// Reads as many numbers, separated by white space, as `values` has places;
/// none may be missing or left over. On failure `values` is unspecified.
std::string ParseNumbers(std::string_view text, std::span<double> values);

}  // namespace torqued
