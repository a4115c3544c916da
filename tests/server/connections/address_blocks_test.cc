#include "server/connections/address_blocks.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torqued::server {
namespace {

using ::testing::HasSubstr;

PeerAddress At(const std::string& host) {
  std::uint8_t bytes[16] = {};
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) {
    return PeerAddress::Ipv4(bytes, 5);
  }
  EXPECT_EQ(inet_pton(AF_INET6, host.c_str(), bytes), 1) << host;
  return PeerAddress::Ipv6(bytes, 5);
}

AddressBlocks Blocks(const std::vector<std::string>& texts) {
  const auto parsed = AddressBlocks::Parse(texts);
  const auto* why = std::get_if<std::string>(&parsed);
  EXPECT_EQ(why, nullptr) << *why;
  return why == nullptr ? std::get<AddressBlocks>(parsed) : AddressBlocks();
}

TEST(AddressBlocksTest, ABlockHasTheAddressesThatShareItsBits) {
  const AddressBlocks blocks =
      Blocks({"10.0.0.0/8", "192.168.1.128/25", "1.2.3.4", "fc00::/7", "::1"});
  for (const char* in :
       {"10.0.0.0", "10.255.255.255", "192.168.1.128", "192.168.1.255",
        "1.2.3.4", "fc00::", "fdff::1", "::1", "::ffff:10.1.2.3"}) {
    EXPECT_TRUE(blocks.Contain(At(in))) << in;
  }
  for (const char* out :
       {"9.255.255.255", "11.0.0.0", "192.168.1.127", "192.168.2.128",
        "1.2.3.5", "fbff::", "fe00::", "::", "::2", "::ffff:11.0.0.1"}) {
    EXPECT_FALSE(blocks.Contain(At(out))) << out;
  }
}

TEST(AddressBlocksTest, NoBitsAreAllAddressesOfTheFamily) {
  EXPECT_TRUE(Blocks({"0.0.0.0/0"}).Contain(At("255.1.2.3")));
  EXPECT_FALSE(Blocks({"0.0.0.0/0"}).Contain(At("::1")));
  EXPECT_TRUE(Blocks({"::/0"}).Contain(At("ff::1")));
  EXPECT_FALSE(Blocks({"::/0"}).Contain(At("1.2.3.4")));
  EXPECT_FALSE(Blocks({"0.0.0.0/0", "::/0"}).Contain(PeerAddress::Unix(0)));
  EXPECT_FALSE(Blocks({}).Contain(At("127.0.0.1")));
}

TEST(AddressBlocksTest, WhatIsNoBlockIsRefusedWithTheText) {
  for (const char* text :
       {"", "proxy", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
        "10.0.0.0/8x", "10.0.0.0/ 8", "/8", "fd00::/129", "10.0.0.1/8",
        "fd00::1/64", "::ffff:10.0.0.0/104", "[::1]", "1.2.3.4:5"}) {
    const auto parsed = AddressBlocks::Parse({text});
    ASSERT_TRUE(std::holds_alternative<std::string>(parsed)) << text;
    EXPECT_THAT(std::get<std::string>(parsed),
                HasSubstr("'" + std::string(text) + "'"));
  }
}

TEST(PeerAddressTest, AHostAndANetworkOfOneHostShareABound) {
  EXPECT_EQ(At("1.2.3.4").Key(),
            PeerAddress::Ipv4(At("1.2.3.4").bytes.data(), 9).Key());
  EXPECT_NE(At("1.2.3.4").Key(), At("1.2.3.5").Key());
  EXPECT_EQ(At("2001:db8:1:2::1").Key(), At("2001:db8:1:2:ffff::").Key());
  EXPECT_NE(At("2001:db8:1:2::1").Key(), At("2001:db8:1:3::1").Key());
  EXPECT_EQ(PeerAddress::Unix(7).Key(), PeerAddress::Unix(7).Key());
  EXPECT_NE(PeerAddress::Unix(7).Key(), PeerAddress::Unix(8).Key());
  EXPECT_NE(PeerAddress::Unix(7).Key(), At("7.0.0.0").Key());
}

TEST(PeerAddressTest, ReadsAsAddressesDo) {
  EXPECT_EQ(At("1.2.3.4").Text(), "1.2.3.4:5");
  EXPECT_EQ(At("fd00::1").Text(), "[fd00::1]:5");
  EXPECT_EQ(At("::ffff:1.2.3.4").Text(), "1.2.3.4:5");
  EXPECT_EQ(PeerAddress::Unix(7).Text(), "unix:uid=7");
}

}  // namespace
}  // namespace torqued::server
