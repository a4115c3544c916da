#include "server/connections/slot_ports.h"

#include <grpc/grpc.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/version_info.h>

#include <string>
#include <utility>

#include "server/connections/slot_credentials.h"

// gRPC's own, which no header of its tells of: src/core/lib/iomgr/tcp_server.h
// has it, tcp_server_posix.cc does it, chttp2_server.cc says how a port gets
// one.
static_assert(GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR == 51,
              "look whether TcpServerFdHandler is still what stands here");

namespace grpc_core {

class TcpServerFdHandler {
 public:
  virtual ~TcpServerFdHandler() = default;
  virtual void Handle(int listener, int descriptor,
                      grpc_byte_buffer* read_before) = 0;
};

}  // namespace grpc_core

namespace torqued::server {
namespace {

/// A port whose name begins so does not listen. It leaves its handler where the
/// server's argument of the same name points to.
constexpr char kName[] = "external:slots";

}  // namespace

/// Tells gRPC where to leave handlers.
class SlotPorts::Option final : public grpc::ServerBuilderOption {
 public:
  explicit Option(SlotPorts& ports) : ports_(ports) {}
  void UpdateArguments(grpc::ChannelArguments* arguments) override {
    arguments->SetPointer(kName, static_cast<void*>(&ports_.added_));
  }
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                     /*plugins*/) override {}

 private:
  SlotPorts& ports_;
};

/// Adds all ports where gRPC's builder adds one.
class SlotPorts::Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(SlotPorts& ports) : ports_(ports) {}

  // Each slot has a processor.
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/)
      override {}

 private:
  int AddPortToServer(const std::string& name, grpc_server* server) override {
    for (const auto& slot : ports_.slots_) {
      ports_.added_ = nullptr;
      grpc_server_add_http2_port(server, name.c_str(),
                                 SlotCredentials(slot).get());
      if (ports_.added_ == nullptr) return 0;  // the server does not start
      ports_.handlers_.push_back(ports_.added_);
    }
    return 1;
  }

  SlotPorts& ports_;
};

SlotPorts::SlotPorts(std::vector<std::shared_ptr<ConnectionSlot>> slots)
    : slots_(std::move(slots)) {}

SlotPorts::~SlotPorts() = default;

void SlotPorts::RegisterWith(grpc::ServerBuilder* builder) {
  builder->SetOption(std::make_unique<Option>(*this));
  builder->AddListeningPort(kName, std::make_shared<Credentials>(*this));
}

void SlotPorts::Give(std::size_t slot, int descriptor) {
  handlers_[slot]->Handle(/*listener=*/-1, descriptor,
                          /*read_before=*/nullptr);
}

}  // namespace torqued::server
