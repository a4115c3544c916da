#include "client/cli/formats/container.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "client/cli/errors.h"

namespace torqued::cli {
namespace {

using client::Batch;
using ::testing::ElementsAre;

template <class Scalar>
std::string Bytes(const std::vector<Scalar>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(Scalar)};
}

const std::string kNumbers = Bytes<double>({1, 2, 3, 4, 5, 6});

std::string WithHeader(const std::string& header, const std::string& data,
                       int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    file += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  return file + header + data;
}

std::string File(const std::string& descr, const std::string& order,
                 const std::string& shape, const std::string& data = kNumbers,
                 int version = 1) {
  return WithHeader("{'descr': '" + descr + "', 'fortran_order': " + order +
                        ", 'shape': " + shape + ", }   \n",
                    data, version);
}

// Other types and orders of bytes are in
// tests/conformance/trajectory_files.json.
TEST(ParseNpy, ReadsRowsOfEveryVersionInCAndFortranOrder) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(
        ParseNpy(File("<f8", "False", "(2, 3)", kNumbers, version), "f.npy"),
        (Batch(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  }
  EXPECT_EQ(ParseNpy(File("<f8", "True", "(2, 3)"), "f.npy"),
            (Batch(2, 3) << 1, 3, 5, 2, 4, 6).finished());
  EXPECT_EQ(ParseNpy(File("<f8", "False", "(6,)"), "f.npy").rows(), 1);
  EXPECT_EQ(ParseNpy(File("<f8", "False", "(0, 7)", ""), "f.npy").cols(), 7);
}

TEST(ParseNpy, ReadsBackWhatTheWriterWrites) {
  const Batch batch = (Batch(2, 2) << 0.1, -1e-310, 1e300, 7).finished();
  const std::string bytes = NpyBytes(batch);
  EXPECT_EQ(ParseNpy(bytes, "f"), batch);
  EXPECT_EQ((bytes.size() - 32) % 64, 0u) << "the data is not aligned";
}

TEST(ParseNpyNames, ReadsCharactersAndBytes) {
  const std::vector<std::uint32_t> wide = {'a', 0xE9, 'b', 0};
  const std::vector<std::uint32_t> turned = {0x61000000, 0xE9000000, 0x62000000,
                                             0};
  for (const auto& [descr, bytes] : {std::pair{"<U2", Bytes(wide)},
                                     {">U2", Bytes(turned)},
                                     {"|S3", std::string("a\xC3\xA9"
                                                         "b\0\0",
                                                         6)}}) {
    EXPECT_THAT(ParseNpyNames(File(descr, "False", "(2,)", bytes), "f.npy"),
                ElementsAre("a\u00e9", "b"));
  }
}

TEST(ParseNpyNames, RefusesWhatIsNoListOfNames) {
  const std::string names(8, 'a');
  for (const auto& [descr, shape, data] :
       {std::tuple{"|O", "(2,)", names},
        {"<i4", "(2,)", names},
        {"|S4", "(1, 2)", names},
        {"|S4", "(3,)", names},
        {"<U1", "(2,)", names},  // beyond Unicode
        {"|S9223372036854775807", "(2,)", names},
        {"<U4611686018427387904", "(2,)", names},
        {"|S1", "(1,)", "\xFF"}}) {
    EXPECT_THROW(ParseNpyNames(File(descr, "False", shape, data), "f.npy"),
                 DataError)
        << descr << shape;
  }
}

TEST(ParseNpy, RefusesWhatIsNoTable) {
  for (const std::string& file :
       {std::string(), std::string("no numpy at all"),
        std::string("\x93NUMPY\x01\0", 8),
        // Sizes that do not fit the file.
        File("<f8", "False", "(2, 4)"), File("<f8", "False", "(2, 2)"),
        File("<f4", "False", "(2, 3)"),
        // Sizes beyond any memory, and some whose product wraps to 48 bytes.
        File("<f8", "False", "(1000000000000, 1000)"),
        File("<f8", "False", "(2305843009213693958, 1)"),
        File("<f8", "False", "(4294967296, 4294967296)", ""),
        File("<f8", "False", "(-1, 6)"),
        // Headers longer than the file, or than sense.
        std::string("\x93NUMPY\x01\0\xFF\xFF{", 11),
        std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{", 13),
        // Other contents.
        File("<c8", "False", "(2, 3)"), File("|O", "False", "(2, 3)"),
        File("<f8", "False", "()"), File("<f8", "False", "(1, 2, 3)"),
        File("<f8", "Maybe", "(2, 3)"),
        WithHeader("{'descr': '<f8', 'shape': (2, 3)}", kNumbers),
        File("<f8", "False", "(2, 3)", kNumbers, 4)}) {
    EXPECT_THROW(ParseNpy(file, "f.npy"), DataError) << file.substr(0, 80);
  }
}

}  // namespace
}  // namespace torqued::cli
