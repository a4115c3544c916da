#include "server/lifecycle/accept_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/server/temp_dir.h"

namespace torqued::server {
namespace {

TEST(AddressFileTest, HoldsOneAddressALineAndLeavesNoDraft) {
  const TempDir directory;
  const std::string path = directory.File("address");
  ASSERT_EQ(WriteAddressFile(path, {"a longer text than what follows"}), "");
  ASSERT_EQ(WriteAddressFile(path, {"127.0.0.1:1", "unix:/s"}), "");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "127.0.0.1:1\nunix:/s\n");
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parent), {}), 1);
}

TEST(AddressFileTest, WhatCannotBeWrittenIsSaid) {
  EXPECT_THAT(WriteAddressFile("/nonexistent/address", {"x"}),
              ::testing::HasSubstr("/nonexistent/address: No such file"));
}

}  // namespace
}  // namespace torqued::server
