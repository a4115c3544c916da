#include "client/cpp/server_address.h"

#include <gtest/gtest.h>

namespace torqued::client {
namespace {

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

}  // namespace
}  // namespace torqued::client
