// Laws that a fuzz target holds its subject to.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace torqued::fuzz {

/// Ends the process with the law that was broken, which makes the input a
/// finding; `about` is whatever explains it.
[[noreturn]] inline void Broken(const char* law, const char* file, int line,
                                std::string_view about) {
  std::fprintf(stderr, "%s:%d: broken law: %s\n%.*s\n", file, line, law,
               static_cast<int>(about.size()), about.data());
  std::abort();
}

/// The bytes of an input as text.
inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace torqued::fuzz

/// A law that must hold in every build; `about` is only evaluated when not.
#define FUZZ_REQUIRE(law, about)                                          \
  do {                                                                    \
    if (!(law)) ::torqued::fuzz::Broken(#law, __FILE__, __LINE__, about); \
  } while (false)

/// Called for every input; declared here, since nobody else does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);
