#include "server/registry/revision.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

// The digests were computed with Python's hashlib: each part preceded by
// struct.pack("<Q", len(part)).
TEST(Revision, IsAKnownConstant) {
  EXPECT_EQ(
      ComputeRevision("urdf", "<robot name=\"r\"/>", RegistrationOptions()),
      "af0275b9504b1f5bbc6d839ef548d28818410c13b2436f886bec00ed82a40bdb");
  EXPECT_EQ(ComputeRevision(
                "urdf", "<robot name=\"r\"/>",
                RegistrationOptions{.default_tip = "tool0", .strict = true}),
            "f01ed1c85ad3c3d8723340fc1732f292041324d805cf7cdaa8d4ab98bee515cf");
}

TEST(Revision, CoversBytesThatAreNotText) {
  // More than one byte of length, NUL among the bytes.
  std::string source;
  for (int i = 0; i < 5 * 256; ++i) source += static_cast<char>(i);
  EXPECT_EQ(ComputeRevision("urdf", source, RegistrationOptions()),
            "5ce75ea2091ed5d7e0c97c7f03a5f0ea7e0f837d33811388529927c09dfb75f1");
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
  for (const bool strict : {false, true}) {
    for (const char* tip : {"", "tool0", "odd;tip=name;strict=1"}) {
      const RegistrationOptions options{.default_tip = tip, .strict = strict};
      const auto back = RegistrationOptions::FromCanonical(options.Canonical());
      ASSERT_TRUE(back);
      EXPECT_EQ(back->default_tip, tip);
      EXPECT_EQ(back->strict, strict);
    }
  }
}

TEST(RegistrationOptions, UnknownTextIsRefused) {
  for (const char* text :
       {"", "base=floating;mimic=independent;strict=0;tip=",
        "base=fixed;mimic=independent;strict=", "base=fixed;mimic=independent;",
        "base=fixed;mimic=independent;strict=2;tip=",
        "base=fixed;mimic=independent;strict=0;gears=1;tip="}) {
    EXPECT_FALSE(RegistrationOptions::FromCanonical(text)) << text;
  }
}

}  // namespace
}  // namespace torqued::server
