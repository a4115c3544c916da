// Waiting with an end. A test that hangs is aborted: what it waits for would
// hold up its destructors, too.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <source_location>
#include <thread>

#include "tests/support/sanitized.h"

namespace torqued {

/// Far above what anything takes on a loaded machine.
#if defined(TORQUED_SANITIZED)
inline constexpr std::chrono::seconds kLongEnough{60};
#else
inline constexpr std::chrono::seconds kLongEnough{20};
#endif

[[noreturn]] inline void AbortAfterWaiting(const std::source_location& at) {
  std::fprintf(stderr, "%s:%d: waited in vain for %d s\n", at.file_name(),
               static_cast<int>(at.line()),
               static_cast<int>(kLongEnough.count()));
  std::abort();
}

/// Until the condition holds.
template <std::predicate Condition>
void Await(Condition&& condition,
           const std::source_location& at = std::source_location::current()) {
  const auto end = std::chrono::steady_clock::now() + kLongEnough;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) AbortAfterWaiting(at);
    std::this_thread::yield();
  }
}

/// What the future gives.
template <class Future>
auto Await(Future&& future,
           const std::source_location& at = std::source_location::current()) {
  if (future.wait_for(kLongEnough) == std::future_status::timeout) {
    AbortAfterWaiting(at);
  }
  return future.get();
}

}  // namespace torqued
