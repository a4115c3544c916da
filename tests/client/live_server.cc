#include "tests/client/live_server.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace torqued::client {

std::string ReadExample(const std::string& name) {
  std::ifstream file(std::string(TORQUED_EXAMPLE_MODELS) + "/" + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Batch Random(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  return Batch::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

bool SameBits(const Batch& a, const Batch& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(),
                     static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

LocalServer* LiveServer::server_ = nullptr;
Client* LiveServer::client_ = nullptr;

void LiveServer::SetUpTestSuite() {
  server_ = new LocalServer({.binary = TORQUED_SERVER_BINARY});
  client_ = new Client(Client::Connect(server_->address()));
  Register("planar_2r");
  Register("panda");
}

void LiveServer::TearDownTestSuite() {
  delete client_;
  delete server_;
}

v1::ModelInfo LiveServer::Register(const std::string& name) {
  v1::RegisterModelRequest request;
  request.set_name(name);
  request.set_source(ReadExample(name + ".urdf"));
  return client_->RegisterModel(request).model();
}

}  // namespace torqued::client
