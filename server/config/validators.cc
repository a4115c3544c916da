#include "server/config/validators.h"

#include <charconv>
#include <cmath>

#include "core/lanes/targets.h"
#include "server/flags/address.h"

namespace torqued::server {

std::string CheckSeconds(std::string_view text, double max) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] =
      std::from_chars(begin, end, value, std::chars_format::fixed);
  // False for anything that is not a number.
  const bool in_range = value >= 0 && value <= max;
  if (error != std::errc{} || stop != end || !in_range) {
    return "needs seconds from 0 to " +
           std::to_string(static_cast<std::int64_t>(max)) + ", not '" +
           std::string(text) + "'";
  }
  return {};
}

std::string CheckAddress(std::string_view text, int first_port) {
  return flags::AddressProblem(
      text, {"[tls:]HOST:PORT, mtls:HOST:PORT or unix:PATH", first_port,
             /*mtls=*/true});
}

std::string CheckTarget(std::string_view text) {
  if (text == "auto" || FindTarget(text) != nullptr) return {};
  std::string names;
  for (const LaneKernels* target : Targets()) {
    names.append(names.empty() ? "" : ", ").append(target->target);
  }
  return "needs auto or a target that this machine can run (" + names +
         "), not '" + std::string(text) + "'";
}

}  // namespace torqued::server
