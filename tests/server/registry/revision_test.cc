#include "server/registry/revision.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

// The digests were computed with Python's hashlib: each part preceded by
// struct.pack("<Q", len(part)).
TEST(Revision, IsAKnownConstant) {
  EXPECT_EQ(
      ComputeRevision("urdf", "<robot name=\"r\"/>", RegistrationOptions()),
      "cc0ed7de9a9697dcce38a388fd81ea2a33deb9bd2184fad50bbf238ad7de1745");
  EXPECT_EQ(
      ComputeRevision("urdf", "<robot name=\"r\"/>",
                      RegistrationOptions{.default_tip = "tool0",
                                          .validation = Validation::kStrict}),
      "4e46d283f9adaec5ca4e552d3b4f1f1e628ba8fcf28d29aabc69e18491fa97b4");
}

TEST(Revision, CoversBytesThatAreNotText) {
  // More than one byte of length, NUL among the bytes.
  std::string source;
  for (int i = 0; i < 5 * 256; ++i) source += static_cast<char>(i);
  EXPECT_EQ(ComputeRevision("urdf", source, RegistrationOptions()),
            "79937c4db4aae65e4e53bebe329396cd10e090a6014f35d951857739592410fa");
}

TEST(Revision, MovesWithEveryPart) {
  const std::string_view options = "o";
  const std::string revision = ComputeRevision("ab", "cd", options);
  EXPECT_NE(ComputeRevision("abc", "d", options), revision);
  EXPECT_NE(ComputeRevision("ab", "c", std::string_view("do")), revision);
  EXPECT_NE(ComputeRevision("ab", "cd", std::string_view("")), revision);
}

TEST(Revision, Sha256OfKnownBytes) {
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(RegistrationOptions, CanonicalTextReadsBack) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    for (const char* tip : {"", "tool0", "odd;tip=name;validation=strict"}) {
      const RegistrationOptions options{.default_tip = tip,
                                        .validation = validation};
      const auto back = RegistrationOptions::FromCanonical(options.Canonical());
      ASSERT_TRUE(back);
      EXPECT_EQ(back->default_tip, tip);
      EXPECT_EQ(back->validation, validation);
    }
  }
}

TEST(RegistrationOptions, UnknownTextIsRefused) {
  for (const char* text :
       {"", "base=floating;mimic=independent;validation=default;tip=",
        "base=fixed;mimic=independent;validation=strict",
        "base=fixed;mimic=independent;",
        "base=fixed;mimic=independent;validation=2;tip=",
        "base=fixed;mimic=independent;validation=strict;gears=1;tip=",
        "base=fixed;mimic=independent;strict=0;tip="}) {
    EXPECT_FALSE(RegistrationOptions::FromCanonical(text)) << text;
  }
}

}  // namespace
}  // namespace torqued::server
