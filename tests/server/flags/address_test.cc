#include "server/flags/address.h"

#include <gmock/gmock.h>

#include <utility>

namespace torqued::flags {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr AddressRules kListen{"HOST:PORT or unix:PATH", 0};
constexpr AddressRules kCall{"HOST:PORT or unix:PATH", 1};

TEST(AddressProblem, ThereIsNoneWhereAServerCanBe) {
  for (const char* address :
       {"localhost:65535", "127.0.0.1:1", "127.1:80", "0.0.0.0:7421",
        "[::1]:80", "[fe80::1%eth0]:80", "1.example:80", "unix:s", "unix:/a/b",
        "unix:///a", "unix:a:b"}) {
    EXPECT_EQ(AddressProblem(address, kListen), "") << address;
    EXPECT_EQ(AddressProblem(address, kCall), "") << address;
  }
}

TEST(AddressProblem, TlsIsOfHostsAndMtlsOfServers) {
  constexpr AddressRules kServe{"an address", 0, /*mtls=*/true};
  EXPECT_EQ(AddressProblem("tls:h:1", kCall), "");
  EXPECT_EQ(AddressProblem("mtls:[::1]:0", kServe), "");
  EXPECT_NE(AddressProblem("mtls:h:1", kCall), "");
  EXPECT_NE(AddressProblem("tls:unix:/a", kServe), "");
  EXPECT_EQ(SecurityOf("mtls:h:1"), Security::kMtls);
  EXPECT_EQ(WithoutSecurity("mtls:h:1"), "h:1");
  EXPECT_EQ(WithoutSecurity("h:1"), "h:1");
}

TEST(IsLocal, IsThisMachineWhateverANameBeginsWith) {
  for (const char* address :
       {"localhost:1", "127.0.0.1:1", "tls:[::1]:1", "127.9.8.7:1", "unix:a"}) {
    EXPECT_TRUE(IsLocal(address)) << address;
  }
  for (const char* address :
       {"127.example:1", "127.0.0.1.example:1", "localhost.example:1",
        "0.0.0.0:1", "[::]:1", "ipv4:127.0.0.1:1", "dns:localhost:1"}) {
    EXPECT_FALSE(IsLocal(address)) << address;
  }
}

TEST(AddressProblem, PortZeroIsOneOnlyWhereTheSystemChooses) {
  EXPECT_EQ(AddressProblem("h:0", kListen), "");
  EXPECT_EQ(AddressProblem("h:0", kCall),
            "needs HOST:PORT or unix:PATH, not 'h:0': a port is a number from "
            "1 to 65535");
}

TEST(AddressProblem, ItNamesTheFormsAndThePartThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not ''"},
      {"localhost", "not 'localhost'"},
      {":80", "not ':80'"},
      {"unix:", "not 'unix:'"},
      {"h:", ": a port is a number from 0 to 65535"},
      {"h:x", ": a port is a number from 0 to 65535"},
      {"h:80x", ": a port is a number from 0 to 65535"},
      {"h:65536", ": a port is a number from 0 to 65535"},
      {"h:99999999999", ": a port is a number from 0 to 65535"},
      {"h:-1", ": a port is a number from 0 to 65535"},
      {"h:080", ": a port is a number from 0 to 65535"},
      {"::1:80", ": an IPv6 address needs brackets"},
      {"http://h:80", ": 'http://h' is not a host"},
      {"h h:1", ": 'h h' is not a host"},
      {"host/path:80", ": 'host/path' is not a host"},
      {"[::1:80", ": '[::1' is not a host"},
      {"[host:80", ": '[host' is not a host"},
      {"[]:80", ": [] is not an IPv6 address"},
      {"[host]:80", ": [host] is not an IPv6 address"},
      {"[::1]]:80", ": [::1]] is not an IPv6 address"}};
  for (const auto& [address, end] : cases) {
    const std::string problem = AddressProblem(address, kListen);
    EXPECT_THAT(problem, StartsWith("needs HOST:PORT or unix:PATH, not '"))
        << address;
    EXPECT_THAT(problem, EndsWith(end)) << address;
  }
}

TEST(AddressProblem, ThePathOfASocketHasRoomAndNoPercentSign) {
  const std::string longest = "/" + std::string(106, 'x');
  EXPECT_EQ(AddressProblem("unix:" + longest, kCall), "");
  EXPECT_EQ(AddressProblem("unix://" + longest, kCall), "");
  EXPECT_EQ(AddressProblem("unix:" + longest + "x", kCall),
            "the path of a socket has at most 107 bytes");
  EXPECT_EQ(AddressProblem("unix:a%62", kCall),
            "the path of a socket must not contain '%', which gRPC decodes");
}

TEST(SocketPath, IsWhatGrpcMakesOfTheAddress) {
  EXPECT_EQ(SocketPath("unix:a/b"), "a/b");
  EXPECT_EQ(SocketPath("unix:/a"), "/a");
  EXPECT_EQ(SocketPath("unix:///a"), "/a");
}

}  // namespace
}  // namespace torqued::flags
