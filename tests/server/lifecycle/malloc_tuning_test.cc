// An executable of its own: the allocator is the whole process's.
#include "server/lifecycle/malloc_tuning.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/sanitized.h"

namespace torqued::server {
namespace {

#if defined(__GLIBC__) && !defined(TORQUED_SANITIZED)

/// Heaps of the allocator.
int Heaps() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  const std::string_view info(text, size);
  int heaps = 0;
  for (std::size_t at = 0; (at = info.find("<heap nr=", at)) != info.npos;
       ++at) {
    ++heaps;
  }
  std::free(text);
  return heaps;
}

TEST(MallocTuning, HeapsAreFewHoweverManyThreadsThereAre) {
  constexpr int kThreads = 40;
  TuneMalloc();
  std::latch all(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&all] {
      const std::string block(100'000, 'x');
      all.arrive_and_wait();
      EXPECT_EQ(block.back(), 'x');
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(Heaps(), 4);
}

#endif

}  // namespace
}  // namespace torqued::server
