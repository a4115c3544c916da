// The client and the real server, with two robots.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "client/cpp/client.h"
#include "client/cpp/local_server.h"

namespace torqued::client {

std::string ReadExample(const std::string& name);
Batch Random(Eigen::Index rows, Eigen::Index columns, unsigned seed);
bool SameBits(const Batch& a, const Batch& b);

class LiveServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  static v1::ModelInfo Register(const std::string& name);

  static LocalServer* server_;
  static Client* client_;
};

}  // namespace torqued::client
