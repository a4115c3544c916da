#include "client/cli/server_address.h"

#include <gtest/gtest.h>

#include "client/cpp/server_address.h"

namespace torqued::cli {
namespace {

using client::WithDefaultPort;

TEST(ServerAddress, AHostWithoutAPortGetsTheDefaultOne) {
  EXPECT_EQ(WithDefaultPort("localhost"), "localhost:7421");
  EXPECT_EQ(WithDefaultPort("192.0.2.7"), "192.0.2.7:7421");
  EXPECT_EQ(WithDefaultPort("[::1]"), "[::1]:7421");
  EXPECT_EQ(WithDefaultPort("::1"), "[::1]:7421");
  EXPECT_EQ(WithDefaultPort("2001:db8::192.0.2.7"),
            "[2001:db8::192.0.2.7]:7421");
  EXPECT_EQ(WithDefaultPort("fe80::1%eth0"), "[fe80::1%eth0]:7421");
}

TEST(ServerAddress, WhatSaysWhereStaysAsItIs) {
  for (const char* address :
       {"", "localhost:80", "[::1]:80", "unix:socket", "unix:/run/socket",
        "unix:///run/socket", "dns:///host", "dns://resolver/host:80",
        "ipv4:127.0.0.1:80", "ipv6:[::1]:80", "dns:localhost:80", "unix:a:b",
        "unix-abstract:a:b"}) {
    EXPECT_EQ(WithDefaultPort(address), address);
  }
}

TEST(ServerAddress, WhereNoneCanBeIsSaidInASentence) {
  for (const char* address :
       {"", "host:", ":80", "host:0", "host:65536", "host:99999", "host:abc",
        "host:80x", "host:-1", "http://host:80", "host/path:80", "unix:"}) {
    EXPECT_NE(
        AddressProblem(address).find("needs HOST, HOST:PORT, tls:HOST:PORT or "
                                     "unix:PATH"),
        std::string::npos)
        << address;
  }
  EXPECT_EQ(AddressProblem("unix:" + std::string(107, 'x')), "");
  EXPECT_EQ(AddressProblem("unix:" + std::string(108, 'x')),
            "the path of a socket has at most 107 bytes");
}

}  // namespace
}  // namespace torqued::cli
