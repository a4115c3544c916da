// Inputs that are hostile by their size, and too large to lie in a corpus, are
// refused quickly and in little memory.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>

#include "tests/fuzz/cost.h"
#include "tests/support/sanitized.h"

namespace torqued::fuzz {

inline constexpr std::size_t kMegabyte = 1'000'000;
#ifdef TORQUED_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline void ExpectCheap(const Cost& cost, std::size_t memory) {
  const double seconds = cost.cpu_seconds();
  const std::size_t used = cost.memory();
  std::cout << "  " << static_cast<int>(seconds * 1000) << " ms, "
            << used / kMegabyte << " MB\n";
  EXPECT_LT(seconds, kSanitized ? 60 : 1);
  if (!kSanitized) {
    EXPECT_LT(used, memory);
  }
}

inline std::string Repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

}  // namespace torqued::fuzz
