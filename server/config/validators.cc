#include "server/config/validators.h"

#include <charconv>
#include <cmath>

#include "core/lanes/targets.h"

namespace torqued::server {

std::string CheckWholeNumber(std::string_view text, std::int64_t min,
                             std::int64_t max) {
  std::int64_t value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") ==
                                          std::string_view::npos;
  const bool octal = text.size() > 1 && text.front() == '0';
  if (!plain || octal || error != std::errc{} || stop != end || value < min ||
      value > max) {
    return "needs a whole number from " + std::to_string(min) + " to " +
           std::to_string(max) + ", not '" + std::string(text) + "'";
  }
  return {};
}

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

std::string CheckAddress(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  std::string wrong = "needs HOST:PORT, [IPV6]:PORT or unix:PATH, not '" +
                      std::string(text) + "'";
  if (text.starts_with(kUnix)) return text == kUnix ? wrong : "";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong;
  const std::string_view host = text.substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']';
  if (!bracketed && host.find(':') != std::string_view::npos) return wrong;
  if (host.find_first_of(" \t/") != std::string_view::npos) return wrong;
  if (!CheckWholeNumber(text.substr(colon + 1), 0, 65535).empty()) return wrong;
  return {};
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
