#include "server/connections/proxy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace torqued::server {
namespace {

constexpr int kLocal = 0x20, kProxy = 0x21;

std::string Header(int command, int family, const std::string& rest) {
  std::string header("\r\n\r\n\0\r\nQUIT\n", 12);
  header += static_cast<char>(command);
  header += static_cast<char>(family);
  header += static_cast<char>(rest.size() >> 8);
  header += static_cast<char>(rest.size() & 0xFF);
  return header + rest;
}

const std::string kIpv4("\x01\x02\x03\x04\x7F\0\0\x01\x12\x34\x1D\x0D", 12);

std::string Ipv6() {
  std::string rest("\xFD\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07", 16);
  rest += std::string("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
  return rest + std::string("\x12\x34\x1D\x0D", 4);
}

std::string PeerIn(const std::string& bytes) {
  const auto read = ReadProxyHeader(bytes);
  if (const auto* header = std::get_if<ProxyHeader>(&read)) {
    return header->peer ? header->peer->Text() : "none";
  }
  if (const auto* needs = std::get_if<ProxyHeaderNeeds>(&read)) {
    return "needs " + std::to_string(needs->bytes);
  }
  return std::string(std::get<NoProxyHeader>(read).why);
}

TEST(ProxyHeaderTest, TellsTheClient) {
  EXPECT_EQ(PeerIn(Header(kProxy, 0x11, kIpv4)), "1.2.3.4:4660");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x21, Ipv6())), "[fd00::7]:4660");
}

TEST(ProxyHeaderTest, ExtensionsAreSkipped) {
  const std::string extensions(
      "\x04\0\x03"
      "abc",
      6);
  EXPECT_EQ(PeerIn(Header(kProxy, 0x11, kIpv4 + extensions)), "1.2.3.4:4660");
  EXPECT_EQ(PeerIn(Header(kLocal, 0, extensions)), "none");
}

TEST(ProxyHeaderTest, AProxyMayTellNoClient) {
  EXPECT_EQ(PeerIn(Header(kLocal, 0, "")), "none");
  // Whatever else it says of itself.
  EXPECT_EQ(PeerIn(Header(kLocal, 0x11, kIpv4)), "none");
  EXPECT_EQ(PeerIn(Header(kLocal, 0x12, "")), "none");
  EXPECT_EQ(PeerIn(Header(kProxy, 0, "")), "none");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x31, std::string(216, '/'))), "none");
}

TEST(ProxyHeaderTest, APartNeedsTheRestAndNoByteMore) {
  for (const std::string& whole :
       {Header(kProxy, 0x11, kIpv4 + "extension"), Header(kLocal, 0, ""),
        Header(kProxy, 0x21, Ipv6())}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(PeerIn(whole.substr(0, i)),
                "needs " + std::to_string(i < 16 ? 16 : whole.size()));
    }
  }
}

TEST(ProxyHeaderTest, WhatIsNoneIsRefusedAtItsFirstWrongByte) {
  EXPECT_EQ(PeerIn("P"), "no signature");
  EXPECT_EQ(PeerIn("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n"), "no signature");
  EXPECT_EQ(PeerIn("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "no signature");
  EXPECT_EQ(PeerIn(std::string("\r\n\r\n\1", 5)), "no signature");
  EXPECT_EQ(PeerIn(Header(0x11, 0x11, kIpv4)), "not version 2");
  EXPECT_EQ(PeerIn(Header(0x31, 0x11, kIpv4)), "not version 2");
  EXPECT_EQ(PeerIn(Header(0x22, 0x11, kIpv4)), "unknown command");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x41, kIpv4)), "unknown family");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x13, kIpv4)), "unknown family");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x12, kIpv4)), "not of a stream");
}

TEST(ProxyHeaderTest, ItsLengthIsHeldAgainstItsContents) {
  EXPECT_EQ(PeerIn(Header(kProxy, 0x11, kIpv4.substr(1))), "too short");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x21, Ipv6().substr(1))), "too short");
  EXPECT_EQ(PeerIn(Header(kProxy, 0x31, std::string(215, '/'))), "too short");
  const std::string most(kMaxProxyHeader - kProxyPrefix, 'x');
  EXPECT_EQ(PeerIn(Header(kLocal, 0, most)), "none");
  // Before any of it has come.
  EXPECT_EQ(PeerIn(Header(kLocal, 0, most + 'x').substr(0, kProxyPrefix)),
            "too long");
}

}  // namespace
}  // namespace torqued::server
