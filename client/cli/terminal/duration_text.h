// Spans of time and counts, for people.
#pragma once

#include <string>

namespace torqued::cli {

/// "19 ms", "0.8 s", "12 s", "3 min 05 s", "2 h 07 min".
std::string DurationText(double seconds);

/// "950", "12.3 k", "4.56 M": three significant digits.
std::string CountText(double count);

}  // namespace torqued::cli
