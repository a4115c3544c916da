// Numbers that settings take.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace torqued::flags {

/// Why the text is no whole number of the range, in decimal digits only: no
/// sign, no octal, no exponent; empty when it is one.
std::string WholeNumberProblem(std::string_view text, std::int64_t min,
                               std::int64_t max);
/// Why the text is no decimal number of the range, in any notation; empty when
/// it is one.
std::string NumberProblem(std::string_view text, double min, double max);

/// Restricts an option to such numbers.
CLI::Option* WholeNumber(CLI::Option* option, std::int64_t min,
                         std::int64_t max);
CLI::Option* Number(CLI::Option* option, double min, double max);

}  // namespace torqued::flags
