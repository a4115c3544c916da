#include "server/lifecycle/health_client.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/security/tls_certificate_provider.h>

#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "server/flags/address.h"
#include "server/lifecycle/certificates.h"

namespace torqued::server {
namespace {

// On the wire these two are HealthCheckRequest for the whole server and
// HealthCheckResponse, for which there is no generated code here.
using Request = google::protobuf::Empty;
using Response = google::protobuf::Int32Value;
using Stub = grpc::TemplatedGenericStub<Request, Response>;
constexpr int kServing = 1;

// What gRPC gets to end a call whose deadline has passed.
constexpr std::chrono::milliseconds kGrace{1000};

/// The text of a file; what is wrong with it otherwise.
std::string ReadInto(const std::string& flag, const std::string& file,
                     std::string* text) {
  if (file.empty()) return {};
  std::ifstream in(file, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(in), {});
  return in.is_open() && !in.bad() ? "" : flag + ": cannot read " + file;
}

/// With the certificate of `own`, if it has one.
std::shared_ptr<grpc::ChannelCredentials> Unverified(
    const grpc::SslCredentialsOptions& own) {
  if (own.pem_cert_chain.empty()) return UnverifiedCredentials(nullptr);
  namespace tls = grpc::experimental;
  return UnverifiedCredentials(
      std::make_shared<tls::StaticDataCertificateProvider>(
          std::vector<tls::IdentityKeyCertPair>{
              {own.pem_private_key, own.pem_cert_chain}}));
}

/// Lives as long as gRPC works on it.
struct Call {
  grpc::ClientContext context;
  Request request;
  Response response;
  std::promise<grpc::Status> status;
};

}  // namespace

HealthAnswer AskHealth(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name, std::chrono::milliseconds timeout) {
  grpc::ChannelArguments arguments;
  if (!server_name.empty()) arguments.SetSslTargetNameOverride(server_name);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  Stub stub(grpc::CreateCustomChannel(
      std::string(flags::WithoutSecurity(address)), credentials, arguments));
  const auto call = std::make_shared<Call>();
  call->context.set_deadline(std::chrono::system_clock::now() + timeout);
  auto ended = call->status.get_future();
  stub.UnaryCall(&call->context, "/grpc.health.v1.Health/Check",
                 grpc::StubOptions(), &call->request, &call->response,
                 [call](grpc::Status status) {
                   call->status.set_value(std::move(status));
                 });
  // A process that hangs ends no calls.
  if (ended.wait_for(timeout + kGrace) != std::future_status::ready) {
    return {address + ": the call does not end"};
  }
  const grpc::Status status = ended.get();
  if (!status.ok()) return {address + ": " + status.error_message()};
  return {{}, call->response.value() == kServing};
}

std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout) {
  auto credentials = grpc::InsecureChannelCredentials();
  const flags::Security security = flags::SecurityOf(address);
  if (security != flags::Security::kNone) {
    grpc::SslCredentialsOptions options;
    std::string problem = ReadInto("--tls-ca", tls.ca, &options.pem_root_certs);
    // Unverified, the server's own certificate, which is sent only if needed.
    const bool sends = tls.verifies || security == flags::Security::kMtls;
    if (problem.empty() && sends) {
      problem = ReadInto("--tls-cert", tls.cert, &options.pem_cert_chain);
    }
    if (problem.empty() && sends) {
      problem = ReadInto("--tls-key", tls.key.empty() ? tls.cert : tls.key,
                         &options.pem_private_key);
    }
    if (!problem.empty()) return problem;
    credentials =
        tls.verifies ? grpc::SslCredentials(options) : Unverified(options);
  }
  const HealthAnswer answer =
      AskHealth(address, credentials, tls.server_name, timeout);
  if (!answer.problem.empty() || answer.serving) return answer.problem;
  return address + ": not serving";
}

std::string CheckHealthByFile(const std::string& file, const ClientTls& tls,
                              std::chrono::milliseconds timeout) {
  std::string first;
  if (std::ifstream in(file); !std::getline(in, first) || first.empty()) {
    return "--address-file: " + file + " has no address";
  }
  return CheckHealth(first, tls, timeout);
}

}  // namespace torqued::server
