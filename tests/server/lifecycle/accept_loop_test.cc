#include "server/lifecycle/transport.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/server/temp_dir.h"

namespace torqued::server {
namespace {

std::string PortOf(const AcceptLoop& loop) {
  const std::string& address = loop.addresses().front();
  return address.substr(address.rfind(':') + 1);
}

/// Connects to the loopback of a family: errno, or 0.
int Connect(int family, const std::string& port) {
  sockaddr_in in{};
  sockaddr_in6 in6{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in6.sin6_family = AF_INET6;
  in6.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  in.sin_port = in6.sin6_port =
      htons(static_cast<std::uint16_t>(std::stoi(port)));
  const int client = socket(family, SOCK_STREAM, 0);
  const bool connected =
      family == AF_INET
          ? connect(client, reinterpret_cast<sockaddr*>(&in), sizeof(in)) == 0
          : connect(client, reinterpret_cast<sockaddr*>(&in6), sizeof(in6)) ==
                0;
  const int error = connected ? 0 : errno;
  close(client);
  return error;
}

TEST(AcceptLoop, AWildcardAcceptsBothFamilies) {
  const AcceptLoop loop({"0.0.0.0:0"}, 1024);
  EXPECT_EQ(Connect(AF_INET, PortOf(loop)), 0);
  const int error = Connect(AF_INET6, PortOf(loop));
  if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT) {
    GTEST_SKIP() << "no IPv6 here";
  }
  EXPECT_EQ(error, 0);
}

TEST(AcceptLoop, ReachesItselfWithoutNamesAndWithoutIpv6) {
  for (const char* listen : {"[::]:0", "0.0.0.0:0", "localhost:0"}) {
    const AcceptLoop loop({listen}, 1024);
    EXPECT_THAT(loop.own_addresses(),
                testing::Contains("127.0.0.1:" + PortOf(loop)));
  }
}

TEST(AcceptLoop, NeedsDescriptorsForMoreThanItself) {
  try {
    const AcceptLoop loop({"127.0.0.1:0"}, 100);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "this process may have 100 descriptors; it needs 128 (ulimit "
                 "-Hn; LimitNOFILE of a service)");
  }
}

TEST(AddressFile, HoldsOneAddressALineAndLeavesNoDraft) {
  const TempDir directory;
  const std::string path = directory.File("address");
  WriteAddressFile(path, {"a longer text than what follows"});
  WriteAddressFile(path, {"127.0.0.1:1", "unix:/s"});
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "127.0.0.1:1\nunix:/s\n");
  const auto parent = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parent), {}), 1);
  EXPECT_THROW(WriteAddressFile("/nonexistent/address", {"x"}),
               std::runtime_error);
}

}  // namespace
}  // namespace torqued::server
