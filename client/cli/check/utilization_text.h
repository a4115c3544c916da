// Shares of limits in words.
#pragma once

#include <string>

namespace torqued::cli {

/// "45.8 %". Never "100.0 %" for what is just below or just above the limit.
std::string UtilizationText(double utilization);

}  // namespace torqued::cli
