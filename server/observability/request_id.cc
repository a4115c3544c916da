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

}  // namespace torqued::server
