#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/npy.h"

namespace torqued::cli {
namespace {

using client::Batch;

template <class Scalar>
std::string Bytes(const std::vector<Scalar>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(Scalar)};
}

// A file as NumPy writes it, version 1 or 2.
std::string File(const std::string& header, const std::string& data,
                 int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    file += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  return file + header + data;
}

std::string Header(const std::string& descr, const std::string& order,
                   const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }   \n";
}

const std::vector<double> kNumbers = {1, 2, 3, 4, 5, 6};

TEST(ParseNpy, ReadsRowsInCAndFortranOrder) {
  const Batch c = ParseNpy(
      File(Header("<f8", "False", "(2, 3)"), Bytes(kNumbers)), "f.npy");
  EXPECT_EQ(c, (Batch(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  const Batch fortran =
      ParseNpy(File(Header("<f8", "True", "(2, 3)"), Bytes(kNumbers)), "f.npy");
  EXPECT_EQ(fortran, (Batch(2, 3) << 1, 3, 5, 2, 4, 6).finished());
}

TEST(ParseNpyNames, ReadsCharactersAndBytes) {
  const std::vector<std::uint32_t> wide = {'a', 0xE9, 'b', 0};
  EXPECT_THAT(
      ParseNpyNames(File(Header("<U2", "False", "(2,)"), Bytes(wide)), "f.npy"),
      ::testing::ElementsAre("a\u00e9", "b"));
  const std::vector<std::uint32_t> turned = {0x61000000, 0xE9000000, 0x62000000,
                                             0};
  EXPECT_THAT(ParseNpyNames(File(Header(">U2", "False", "(2,)"), Bytes(turned)),
                            "f.npy"),
              ::testing::ElementsAre("a\u00e9", "b"));
  EXPECT_THAT(
      ParseNpyNames(File(Header("|S3", "False", "(2,)"), std::string("a\xC3\xA9"
                                                                     "b\0\0",
                                                                     6)),
                    "f.npy"),
      ::testing::ElementsAre("a\u00e9", "b"));
  EXPECT_TRUE(
      ParseNpyNames(File(Header("<U1", "False", "(0,)"), ""), "f.npy").empty());
}

TEST(ParseNpyNames, RefusesWhatIsNoListOfNames) {
  const std::string names(8, 'a');
  for (const auto& [descr, shape, data] :
       {std::tuple{"|O", "(2,)", names},
        {"<i4", "(2,)", names},
        {"|S", "(2,)", names},
        {"|S4", "(1, 2)", names},
        {"|S4", "(3,)", names},
        {"<U4", "(2,)", names},
        {"<U0", "(999999999999999999,)", ""},
        {"|S9223372036854775807", "(2,)", names},
        {"<U4611686018427387904", "(2,)", names},
        {"|S1", "(1,)", "\xFF"}}) {
    EXPECT_THROW(
        ParseNpyNames(File(Header(descr, "False", shape), data), "f.npy"),
        DataError)
        << descr << shape;
  }
  try {
    ParseNpyNames(File(Header("|O", "False", "(2,)"), names), "f.npy");
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("np.array(names, dtype=str)"));
  }
}

TEST(ParseNpy, TakesOneDimensionAsOneRow) {
  const Batch batch =
      ParseNpy(File(Header("<f8", "False", "(6,)"), Bytes(kNumbers)), "f.npy");
  EXPECT_EQ(batch.rows(), 1);
  EXPECT_EQ(batch.cols(), 6);
}

TEST(ParseNpy, ReadsVersions1To3) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(ParseNpy(File(Header("<f8", "False", "(3, 2)"), Bytes(kNumbers),
                            version),
                       "f.npy")
                  .rows(),
              3);
  }
}

TEST(ParseNpy, ReadsBackWhatTheWriterWrites) {
  Batch batch(3, 2);
  batch << 0.1, -0.0, 1e-310, 1e300, 1.0 / 3, 7;
  const std::string bytes = NpyBytes(batch);
  const Batch read = ParseNpy(bytes, "f");
  ASSERT_EQ(read.size(), batch.size());
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read.data()[k]),
              std::bit_cast<std::uint64_t>(batch.data()[k]));
  }
  EXPECT_EQ((bytes.size() - 48) % 64, 0u) << "the data is not aligned";
}

TEST(ParseNpy, AllowsNoRows) {
  const Batch batch =
      ParseNpy(File(Header("<f8", "False", "(0, 7)"), ""), "f.npy");
  EXPECT_EQ(batch.rows(), 0);
  EXPECT_EQ(batch.cols(), 7);
}

class HostileNpy : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileNpy, IsRefused) {
  EXPECT_THROW(ParseNpy(GetParam(), "f.npy"), DataError);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HostileNpy,
    ::testing::Values(
        "", "\x93NUMPY", "no numpy at all", std::string("\x93NUMPY\x01\0", 8),
        // Sizes that do not fit the file.
        File(Header("<f8", "False", "(2, 4)"), Bytes(kNumbers)),
        File(Header("<f8", "False", "(2, 2)"), Bytes(kNumbers)),
        File(Header("<f4", "False", "(2, 3)"), Bytes(kNumbers)),
        // Sizes beyond any memory, and some whose product wraps to 48 bytes.
        File(Header("<f8", "False", "(1000000000000, 1000)"), Bytes(kNumbers)),
        File(Header("<f8", "False", "(2305843009213693958, 1)"),
             Bytes(kNumbers)),
        File(Header("<f8", "False", "(4294967296, 4294967296)"), ""),
        File(Header("<f8", "False", "(-1, 6)"), Bytes(kNumbers)),
        // Headers longer than the file, or than sense.
        std::string("\x93NUMPY\x01\0\xFF\xFF{", 11),
        std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{", 13),
        // Other contents.
        File(Header("<c8", "False", "(2, 3)"), Bytes(kNumbers)),
        File(Header("|O", "False", "(2, 3)"), Bytes(kNumbers)),
        File(Header("<f8", "False", "()"), Bytes(std::vector<double>{1})),
        File(Header("<f8", "False", "(1, 2, 3)"), Bytes(kNumbers)),
        File(Header("<f8", "Maybe", "(2, 3)"), Bytes(kNumbers)),
        File("{'descr': '<f8', 'shape': (2, 3)}", Bytes(kNumbers)),
        File("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, "
             "'shape': (2, 3)}",
             Bytes(kNumbers)),
        File(Header("<f8", "False", "(2, 3)"), Bytes(kNumbers), 4)));

}  // namespace
}  // namespace torqued::cli
