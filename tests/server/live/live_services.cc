#include "tests/server/live/live_services.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grpc/grpc.h>
#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include "server/registry/model_store.h"

namespace torqued::server {
// The clean-up of gRPC's own threads now and then takes ten seconds: it keeps
// them until the process ends.
const bool kGrpcStays = (grpc_init(), true);

LiveServices::LiveServices(const Options& options)
    : registry_(std::make_unique<ModelStore>(directory_.File("models.db")),
                options.cached_source_bytes),
      engine_(options.engine),
      admission_(options.inflight),
      context_{registry_,
               engine_,
               admission_,
               gate_,
               ComputeLimits{1'000'000, 64 << 20},
               0,
               0,
               options.write_timeout},
      services_(OfferServices(context_)) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port_);
  for (const auto& [unused, service] : services_) {
    builder.RegisterService(service.get());
  }
  server_ = builder.BuildAndStart();
}

LiveServices::~LiveServices() {
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
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  inet_pton(AF_INET, host, &from.sin_addr);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(port_));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(
      bind(socket, reinterpret_cast<const sockaddr*>(&from), sizeof(from)), 0);
  EXPECT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof(to)),
            0);
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  return grpc::CreateInsecureChannelFromFd("", socket);
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
      grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
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
