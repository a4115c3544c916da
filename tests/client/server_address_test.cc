#include "client/cpp/channel.h"

#include <gtest/gtest.h>

namespace torqued::client {
namespace {

TEST(ServerAddress, AHostWithoutAPortGetsTheDefaultOne) {
  for (const std::string host : {"localhost", "192.0.2.7", "[::1]"}) {
    EXPECT_EQ(WithDefaultPort(host), host + ":7421");
  }
  for (const std::string host :
       {"::1", "2001:db8::192.0.2.7", "fe80::1%eth0"}) {
    EXPECT_EQ(WithDefaultPort(host), "[" + host + "]:7421");
  }
  // What says where stays as it is.
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
