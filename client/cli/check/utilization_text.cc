#include "client/cli/check/utilization_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace torqued::cli {

std::string UtilizationText(double utilization) {
  if (!std::isfinite(utilization)) return "over 100 %";
  double tenths = std::round(1000 * utilization);
  if (tenths == 1000 && utilization < 1) tenths = 999;
  if (tenths == 1000 && utilization > 1) tenths = 1001;
  std::array<char, 340> text;
  std::snprintf(text.data(), text.size(), "%.1f %%", tenths / 10);
  return text.data();
}

}  // namespace torqued::cli
