// Tables that are hostile by their size: refused with a reason, quickly and in
// little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "client/cli/errors.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/npy_reader.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/large_inputs.h"

namespace torqued::fuzz {
namespace {

using std::string_literals::operator""s;
using ::testing::HasSubstr;

template <class Read>
void ExpectRefusedFile(const Read& read, const std::string& why) {
  const Cost cost;
  try {
    read();
    ADD_FAILURE() << "accepted";
  } catch (const cli::DataError& error) {
    ExpectCheap(cost, 250 * kMegabyte);
    CheckDataError(error, "file");
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

void ExpectRefusedCsv(const std::string& text, const std::string& why) {
  ExpectRefusedFile([&] { cli::ParseCsv(text, "file"); }, why);
}

TEST(HostileCsv, IsRefused) {
  ExpectRefusedCsv(std::string(77 * kMegabyte, '\n'), "is empty");
  ExpectRefusedCsv("a\n" + std::string(77 * kMegabyte, '1'),
                   "out of the range");
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
  ExpectRefusedNpy(shape("(2305843009213693952, 8)"), "1000 bytes");
  ExpectRefusedNpy(shape("(18446744073709551615, 1)"), "1000 bytes");
  ExpectRefusedNpy(shape("(18446744073709551616, 1)"), "not understood");
  ExpectRefusedNpy(shape("(" + Repeated("1,", 30'000) + ")"), "dimensions");
  ExpectRefusedNpy(shape(std::string(10 * kMegabyte, '(')), "cannot be");
  ExpectRefusedNpy("{'descr': '" + std::string(60'000, '\x1B') +
                       "', 'fortran_order': False, 'shape': (1, 1)}",
                   "which are not read");
}

}  // namespace
}  // namespace torqued::fuzz
