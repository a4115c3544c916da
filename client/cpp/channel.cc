#include "client/cpp/channel.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "server/flags/address.h"

namespace torqued::client {
namespace {

constexpr const char* kTokenVariable = "TORQUED_TOKEN";

[[noreturn]] void Refuse(const std::string& option, const std::string& why) {
  throw Error(grpc::StatusCode::INVALID_ARGUMENT, option + ": " + why,
              {v1::Reason_Name(v1::INVALID_OPTION), {}, {{option, why}}, {}});
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

std::shared_ptr<grpc::ChannelCredentials> PlainCredentials(
    const ConnectOptions& options) {
  for (const auto& [option, value] :
       {std::pair("tls_ca", &options.tls_ca),
        {"tls_cert", &options.tls_cert},
        {"tls_key", &options.tls_key},
        {"tls_server_name", &options.tls_server_name}}) {
    if (!value->empty()) Refuse(option, "only tls:HOST:PORT takes it");
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

}  // namespace

std::string WithDefaultPort(const std::string& address) {
  const std::string place(flags::WithoutSecurity(address));
  const std::string security = address.substr(0, address.size() - place.size());
  const std::string port = ":" + std::to_string(kDefaultPort);
  if (flags::IsIpv6(place)) {
    // The text after the last colon may be a port: "::1:7421".
    const std::size_t colon = place.rfind(':');
    const bool may_have_port =
        place.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
        flags::IsIpv6(place.substr(0, colon));
    return may_have_port ? address : security + "[" + place + "]" + port;
  }
  const bool has_none = place.find_first_of(":/") == std::string::npos ||
                        (place[0] == '[' && place.back() == ']');
  return has_none && !place.empty() ? address + port : address;
}

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
  return grpc::CreateCustomChannel(std::string(flags::WithoutSecurity(address)),
                                   credentials, arguments);
}

std::string AuthorizationFor(const std::string& address,
                             const ConnectOptions& options) {
  // Its source, and its value.
  std::string option = "token", token = options.token;
  if (!options.token_file.empty()) {
    option = "token_file";
    if (!token.empty()) Refuse(option, "token is given as well");
    token = ReadFile(option, options.token_file);
    token.erase(token.find_last_not_of(" \t\r\n") + 1);
    if (token.empty()) Refuse(option, options.token_file + " is empty");
  } else if (const char* set = std::getenv(kTokenVariable);
             set != nullptr && token.empty()) {
    option = kTokenVariable;
    token = set;
  }
  if (token.empty()) return {};
  // Characters that HTTP headers have, so that a space at an end is not lost.
  if (!std::all_of(token.begin(), token.end(),
                   [](char c) { return c > ' ' && c <= '~'; })) {
    Refuse(option, "a token has printable ASCII characters and no spaces");
  }
  if (flags::SecurityOf(address) == flags::Security::kNone &&
      !flags::IsLocal(address)) {
    Refuse(option,
           "a token is sent only to tls:HOST:PORT, a Unix socket or this "
           "machine, not to " +
               address);
  }
  return "Bearer " + token;
}

}  // namespace torqued::client
