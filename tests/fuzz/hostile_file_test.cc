// Tables that are hostile by their size, and too large to lie in a corpus:
// refused with a reason, quickly and in little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "tests/fuzz/data_error.h"
#include "tests/support/sanitized.h"

namespace torqued::fuzz {
namespace {

using std::string_literals::operator""s;
using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1'000'000;
#ifdef TORQUED_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// What a piece of work costs this process, from its making on: one at a time.
class Cost {
 public:
  Cost() {
    // Gives back what is free, and sets the peak to what is in use now.
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = Peak();
    start_ = std::clock();
  }

  void ExpectAtMost(std::size_t memory) const {
    const auto seconds =
        static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, kSanitized ? 60 : 1);
    if (!kSanitized) {
      EXPECT_LT(Peak() - before_, memory);
    }
  }

 private:
  static std::size_t Peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
    }
    return 0;
  }

  std::size_t before_ = 0;
  std::clock_t start_ = 0;
};

std::string Repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

template <class Read>
void ExpectRefusedFile(const Read& read, const std::string& why) {
  const Cost cost;
  try {
    read();
    ADD_FAILURE() << "accepted";
  } catch (const cli::DataError& error) {
    cost.ExpectAtMost(250 * kMegabyte);
    CheckDataError(error, "file");
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

void ExpectRefusedCsv(const std::string& text, const std::string& why) {
  ExpectRefusedFile([&] { cli::ParseCsv(text, "file"); }, why);
}

TEST(HostileCsv, IsRefused) {
  ExpectRefusedCsv(std::string(77 * kMegabyte, '\n'), "is empty");
  ExpectRefusedCsv("a\n" + std::string(77 * kMegabyte, '1') + "x",
                   "not a number");
  ExpectRefusedCsv(std::string(kMegabyte, ',') + "\n1\n", "1 cells");
  ExpectRefusedCsv(std::string(kMegabyte, 'x') + ",y\n1\n", "1 cells");
  ExpectRefusedCsv(std::string(kMegabyte, 'x') + "\nz\n", "not a number");
  ExpectRefusedCsv(Repeated("1,2,3\n", kMegabyte) + "1,2\n", "2 cells");
}

void ExpectRefusedNpy(const std::string& header, const std::string& why) {
  std::string bytes = "\x93NUMPY\x02\0"s;
  for (int k = 0; k < 4; ++k) {
    bytes += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  bytes += header + std::string(1000, '\0');
  ExpectRefusedFile([&] { cli::ParseNpy(bytes, "file"); }, why);
}

TEST(HostileNpy, IsRefused) {
  const auto shape = [](const std::string& text) {
    return "{'descr': '<f8', 'fortran_order': False, 'shape': " + text + "}";
  };
  ExpectRefusedNpy(shape("(1000000, 0)"), "1000 bytes");
  ExpectRefusedNpy(shape("(4294967296, 4294967296)"), "1000 bytes");
  ExpectRefusedNpy(shape("(230584300921369, 8)"), "1000 bytes");
  ExpectRefusedNpy(shape("(18446744073709551616, 1)"), "is not that of");
  ExpectRefusedNpy(shape("(" + Repeated("1,", 400) + ")"), "dimensions");
  ExpectRefusedNpy(shape(std::string(10 * kMegabyte, '(')), "too long");
}

}  // namespace
}  // namespace torqued::fuzz
