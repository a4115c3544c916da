#include "server/observability/request_id.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace torqued::server {
namespace {

constexpr std::size_t kMaxLength = 128;

std::string NewRequestId() {
  thread_local std::mt19937_64 generator{[] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }()};
  static constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t bits = generator();
  std::string id(16, '0');
  for (char& digit : id) {
    digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return id;
}

}  // namespace

std::string RequestIdFrom(std::string_view wanted) {
  const bool usable = !wanted.empty() && wanted.size() <= kMaxLength &&
                      std::all_of(wanted.begin(), wanted.end(),
                                  [](char c) { return c > ' ' && c < '\x7f'; });
  return usable ? std::string(wanted) : NewRequestId();
}

TraceContext TraceFrom(std::string_view traceparent) {
  constexpr std::string_view kForm =
      "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
  const bool has_form = std::equal(
      traceparent.begin(), traceparent.end(), kForm.begin(), kForm.end(),
      [](char c, char form) {
        return form == 'h' ? (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')
                           : c == form;
      });
  if (!has_form) return {};
  const std::string_view trace = traceparent.substr(3, 32),
                         parent = traceparent.substr(36, 16);
  constexpr auto kAll = std::string_view::npos;
  if (trace.find_first_not_of('0') == kAll ||
      parent.find_first_not_of('0') == kAll) {
    return {};
  }
  return {std::string(trace), std::string(parent)};
}

}  // namespace torqued::server
