#include "server/lifecycle/health_client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "server/flags/address.h"

namespace torqued::server {
namespace {

/// HealthCheckResponse { status: SERVING } on the wire: field 1, varint 1.
constexpr std::string_view kServing = "\x08\x01";

// What gRPC gets to end a call whose deadline has passed.
constexpr std::chrono::milliseconds kGrace{1000};

std::string Flatten(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

std::unique_ptr<grpc::GenericStub> Connect(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name) {
  grpc::ChannelArguments arguments;
  if (!server_name.empty()) arguments.SetSslTargetNameOverride(server_name);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
      std::string(flags::WithoutSecurity(address)), credentials, arguments));
}

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
  namespace tls = grpc::experimental;
  tls::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(
      std::make_shared<tls::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  if (!own.pem_cert_chain.empty()) {
    options.set_certificate_provider(
        std::make_shared<tls::StaticDataCertificateProvider>(
            std::vector<tls::IdentityKeyCertPair>{
                {own.pem_private_key, own.pem_cert_chain}}));
    options.watch_identity_key_cert_pairs();
  }
  return tls::TlsCredentials(options);
}

/// Lives as long as gRPC works on it.
struct Call {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  std::promise<grpc::Status> status;
};

}  // namespace

HealthAnswer AskHealth(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name, std::chrono::milliseconds timeout) {
  // The messages are small enough to do without generated code: an empty
  // request asks for the whole server.
  const auto call = std::make_shared<Call>();
  const grpc::Slice nothing("");
  call->request = grpc::ByteBuffer(&nothing, 1);
  call->context.set_deadline(std::chrono::system_clock::now() + timeout);
  const auto stub = Connect(address, credentials, server_name);
  auto ended = call->status.get_future();
  stub->UnaryCall(&call->context, "/grpc.health.v1.Health/Check",
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
  return {{}, Flatten(call->response) == kServing};
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
