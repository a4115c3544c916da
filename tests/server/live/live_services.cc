#include "tests/server/live/live_services.h"

#include <fcntl.h>
#include <grpc/grpc.h>
#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>

#include <utility>

#include "server/registry/sqlite_store.h"
#include "tests/server/connections/sockets.h"

namespace torqued::server {
namespace {

constexpr std::size_t kConnections = 256;

std::unique_ptr<ModelStore> NewStore(const std::string& file) {
  return std::get<std::unique_ptr<ModelStore>>(OpenSqliteStore(file));
}

}  // namespace

// The clean-up of gRPC's own threads now and then takes ten seconds: it keeps
// them until the process ends.
const bool kGrpcStays = (grpc_init(), true);

LiveServices::LiveServices(const Options& options)
    : registry_(NewStore(directory_.File("models.db")), options.cache),
      engine_(options.engine),
      admission_(options.inflight, options.peers),
      context_{registry_,
               engine_,
               admission_,
               gate_,
               ComputeLimits{1'000'000, 64 << 20},
               MemoryBounds{},
               options.write_deadline},
      dynamics_(context_),
      models_(context_),
      health_(context_),
      connections_({kConnections, kConnections},
                   std::make_shared<ConnectionObserver>()),
      listener_(std::get<std::unique_ptr<Listener>>(
          Listener::Open({{"127.0.0.1:0"}, {}}, connections_))) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  connections_.RegisterWith(&builder);
  builder.RegisterService(&dynamics_);
  builder.RegisterService(&models_);
  builder.RegisterService(&health_);
  server_ = builder.BuildAndStart();
  listener_->Start();
}

LiveServices::~LiveServices() {
  listener_.reset();
  server_->Shutdown(std::chrono::system_clock::now());
}

std::shared_ptr<const Model> LiveServices::Register(const std::string& name,
                                                    const std::string& urdf) {
  RegisterRequest request;
  request.name = name;
  request.source = urdf;
  auto registered = registry_.Register(std::move(request));
  if (const auto* error = std::get_if<RegistryError>(&registered)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::get<RegisterResult>(registered).entry.loaded->model;
}

std::shared_ptr<grpc::Channel> LiveServices::ChannelFrom(
    const char* host) const {
  TestSocket socket =
      TestSocket::Connected(listener_->addresses().front(), host);
  EXPECT_TRUE(socket.connected());
  const int flags = fcntl(socket.descriptor(), F_GETFL);
  fcntl(socket.descriptor(), F_SETFL, flags | O_NONBLOCK);
  return grpc::CreateInsecureChannelFromFd("", socket.Release());
}

std::shared_ptr<grpc::Channel> LiveServices::Channel() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // Otherwise all stubs of a process share one connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // With gRPC 1.51 a stream that is cancelled while it is written to never ends
  // where gRPC may try calls again.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  auto channel =
      grpc::CreateCustomChannel(listener_->addresses().front(),
                                grpc::InsecureChannelCredentials(), arguments);
  // A first attempt that fails would fail the calls of the next second.
  EXPECT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() +
                                        std::chrono::seconds(30)));
  return channel;
}

std::unique_ptr<v1::Dynamics::Stub> LiveServices::Connect() const {
  return v1::Dynamics::NewStub(Channel());
}

std::unique_ptr<v1::ModelRegistry::Stub> LiveServices::ConnectToRegistry()
    const {
  return v1::ModelRegistry::NewStub(Channel());
}

}  // namespace torqued::server
