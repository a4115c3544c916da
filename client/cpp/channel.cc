#include "client/cpp/channel.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/client_interceptor.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "server/flags/address.h"

namespace torqued::client {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;

constexpr const char* kTokenVariable = "TORQUED_TOKEN";

[[noreturn]] void Refuse(const std::string& option, const std::string& why) {
  Error::Details details;
  details.reason = v1::Reason_Name(v1::INVALID_OPTION);
  details.field_violations = {{option, why}};
  throw Error(grpc::StatusCode::INVALID_ARGUMENT, option + ": " + why,
              std::move(details));
}

std::string ReadFile(const std::string& option, const std::string& file) {
  const std::ifstream in(file, std::ios::binary);
  if (!in) Refuse(option, "cannot read " + file + ": " + std::strerror(errno));
  // A directory is as empty to it as a file may be.
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// Empty without a file.
std::string ReadPem(const std::string& option, const std::string& file) {
  if (file.empty()) return {};
  std::string text = ReadFile(option, file);
  if (text.find("-----BEGIN ") == std::string::npos) {
    Refuse(option, file + " is not a PEM file");
  }
  return text;
}

struct Token {
  std::string option;  // or variable that it comes from
  std::string value;   // empty: there is none
};

Token TokenOf(const ConnectOptions& options) {
  Token token{"token", options.token};
  if (!options.token_file.empty()) {
    if (!options.token.empty()) Refuse("token_file", "token is given as well");
    token = {"token_file", ReadFile("token_file", options.token_file)};
    token.value.erase(token.value.find_last_not_of(" \t\r\n") + 1);
    if (token.value.empty()) {
      Refuse(token.option, options.token_file + " is empty");
    }
  } else if (const char* set = std::getenv(kTokenVariable);
             set != nullptr && options.token.empty()) {
    token = {kTokenVariable, set};
  }
  // Of what HTTP headers hold, so that a space at an end is not lost.
  if (!std::all_of(token.value.begin(), token.value.end(),
                   [](char c) { return c > ' ' && c <= '~'; })) {
    Refuse(token.option,
           "a token has printable ASCII characters and no spaces");
  }
  return token;
}

std::shared_ptr<grpc::ChannelCredentials> PlainCredentials(
    const ConnectOptions& options) {
  using Given = std::map<std::string, std::string>;
  for (const auto& [option, value] :
       Given{{"tls_ca", options.tls_ca},
             {"tls_cert", options.tls_cert},
             {"tls_key", options.tls_key},
             {"tls_server_name", options.tls_server_name}}) {
    if (!value.empty()) Refuse(option, "only tls:HOST:PORT takes it");
  }
  return grpc::InsecureChannelCredentials();
}

std::shared_ptr<grpc::ChannelCredentials> TlsCredentials(
    const ConnectOptions& options) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    Refuse(options.tls_key.empty() ? "tls_cert" : "tls_key",
           "tls_cert and tls_key need each other");
  }
  return grpc::SslCredentials(
      {.pem_root_certs = ReadPem("tls_ca", options.tls_ca),
       .pem_private_key = ReadPem("tls_key", options.tls_key),
       .pem_cert_chain = ReadPem("tls_cert", options.tls_cert)});
}

/// Adds the token to each call. gRPC's own credentials of calls do not work
/// without TLS.
class Authorization final : public Interceptor {
 public:
  explicit Authorization(const std::string& value) : value_(value) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* call) override {
    if (call->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      call->GetSendInitialMetadata()->emplace("authorization", value_);
    }
    call->Proceed();
  }

 private:
  const std::string value_;
};

class AuthorizationFactory final : public ClientInterceptorFactoryInterface {
 public:
  explicit AuthorizationFactory(const std::string& token)
      : value_("Bearer " + token) {}

  Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo* /*info*/) override {
    return new Authorization(value_);
  }

 private:
  const std::string value_;
};

}  // namespace

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ConnectOptions& options) {
  const bool tls = flags::SecurityOf(address) != flags::Security::kNone;
  if (tls) {
    const std::string why =
        flags::AddressProblem(address, {"HOST:PORT or tls:HOST:PORT"});
    if (!why.empty()) Refuse("address", why);
  }
  const auto credentials =
      tls ? TlsCredentials(options) : PlainCredentials(options);
  const Token token = TokenOf(options);
  std::vector<std::unique_ptr<ClientInterceptorFactoryInterface>> interceptors;
  if (!token.value.empty()) {
    if (!tls && !flags::IsLocal(address)) {
      Refuse(token.option,
             "a token is sent only to tls:HOST:PORT, a Unix socket or this "
             "machine, not to " +
                 address);
    }
    interceptors.push_back(std::make_unique<AuthorizationFactory>(token.value));
  }

  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // A server that restarts is found again soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 100);
  // Nor does a client inherit a connection that another one lost.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // With gRPC 1.51 a stream that is cancelled while it is written to never ends
  // where gRPC may try calls again. Calls that may be repeated are repeated
  // here.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // A server is near; the proxy of http_proxy is not asked for it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!options.tls_server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.tls_server_name);
  }
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      std::string(flags::WithoutSecurity(address)), credentials, arguments,
      std::move(interceptors));
}

}  // namespace torqued::client
