#include "server/lifecycle/certificates.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
namespace tls = grpc::experimental;

/// Both are read by a thread of gRPC every second.
constexpr unsigned kSecondsBetweenLooks = 1;

std::shared_ptr<const std::string> MakeDirectory() {
  std::string made =
      (fs::temp_directory_path() / "torqued-tls-XXXXXX").string();
  if (mkdtemp(made.data()) == nullptr) {
    throw std::runtime_error("cannot make a private folder " + made);
  }
  return {new std::string(made), [](const std::string* directory) {
            std::error_code ignored;
            fs::remove_all(*directory, ignored);
            delete directory;
          }};
}

std::string Read(const std::string& flag, const std::string& file) {
  auto text = ReadText(file);
  if (!text) throw std::runtime_error(flag + ": cannot read " + file);
  return std::move(*text);
}

void Write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw fs::filesystem_error("cannot write", file, {});
}

/// What is wrong with a file, and what OpenSSL says of it.
[[noreturn]] void Refuse(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error(reason == nullptr ? what : what + ": " + reason);
}

std::int64_t SecondsOf(const ASN1_TIME* time) {
  std::tm calendar{};
  return ASN1_TIME_to_tm(time, &calendar) == 1 ? timegm(&calendar) : 0;
}

struct Facts {
  std::int64_t expires = 0;
  bool is_client = false;
};

/// Throws what is wrong; `files`: as messages name them.
Facts Check(const std::string& pair, const std::string& ca,
            const TlsFiles& files) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  // A key with a passphrase is refused, not asked for.
  SSL_CTX_set_default_passwd_cb(context.get(),
                                [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(context.get(), pair.c_str()) != 1) {
    Refuse("--tls-cert: " + files.cert + " has no certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), pair.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    Refuse("--tls-key: " + (files.key.empty() ? files.cert : files.key) +
           " has no key of the certificate");
  }
  const ASN1_TIME* end =
      X509_get0_notAfter(SSL_CTX_get0_certificate(context.get()));
  if (X509_cmp_current_time(end) <= 0) {
    Refuse("--tls-cert: " + files.cert + " has expired");
  }
  if (ca.empty()) return {SecondsOf(end), false};
  if (SSL_CTX_load_verify_locations(context.get(), ca.c_str(), nullptr) != 1) {
    Refuse("--tls-client-ca: " + files.client_ca + " has no certificate");
  }
  X509_STORE_set_purpose(SSL_CTX_get_cert_store(context.get()),
                         X509_PURPOSE_SSL_CLIENT);
  const bool vouched = SSL_CTX_build_cert_chain(
                           context.get(), SSL_BUILD_CHAIN_FLAG_UNTRUSTED) == 1;
  ERR_clear_error();
  return {SecondsOf(end), vouched};
}

}  // namespace

Certificates::Certificates(TlsFiles files)
    : files_(std::move(files)), directory_(MakeDirectory()) {
  Use();
}

bool Certificates::Use() {
  const bool has_ca = !files_.client_ca.empty();
  // One file, so that gRPC never reads a half-replaced pair.
  const std::string pair =
      Read("--tls-cert", files_.cert) + "\n" +
      (files_.key.empty() ? "" : Read("--tls-key", files_.key));
  const std::string ca =
      has_ca ? Read("--tls-client-ca", files_.client_ca) : std::string();
  std::string seen = pair + "\n" + ca;
  if (seen == seen_) return false;
  seen_ = std::move(seen);
  const std::string new_pair = *directory_ + "/new.pem",
                    new_ca = *directory_ + "/new-ca.pem";
  Write(new_pair, pair);
  if (has_ca) Write(new_ca, ca);
  const Facts facts = Check(new_pair, has_ca ? new_ca : "", files_);
  fs::rename(new_pair, *directory_ + "/server.pem");
  if (has_ca) fs::rename(new_ca, *directory_ + "/ca.pem");
  expires_ = facts.expires;
  own_ = facts.is_client ? std::make_shared<const std::string>(pair) : nullptr;
  return true;
}

void Certificates::Reload() {
  std::string problem;
  try {
    if (Use())
      Log(LogLevel::kInfo, "certificate replaced", {{"file", files_.cert}});
  } catch (const std::exception& error) {
    problem = error.what();
  }
  // Of a file that cannot be read, too.
  const bool is_new = problem != std::exchange(problem_, problem);
  if (problem.empty() || !is_new) return;
  ++failures_;
  Log(LogLevel::kError, "certificate not replaced", {{"detail", problem}});
}

std::shared_ptr<grpc::ServerCredentials> Certificates::ForServer(
    bool client_must_have_one) const {
  const bool has_ca = !files_.client_ca.empty();
  const std::string pair = *directory_ + "/server.pem";
  tls::TlsServerCredentialsOptions options(
      std::make_shared<tls::FileWatcherCertificateProvider>(
          pair, pair, has_ca ? *directory_ + "/ca.pem" : "",
          kSecondsBetweenLooks));
  options.watch_identity_key_cert_pairs();
  if (has_ca) {
    options.watch_root_certs();
    options.set_cert_request_type(
        client_must_have_one
            ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
            : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> UnverifiedCredentials(
    const std::string& own) {
  tls::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(
      std::make_shared<tls::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  if (!own.empty()) {
    options.set_certificate_provider(
        std::make_shared<tls::StaticDataCertificateProvider>(
            std::vector<tls::IdentityKeyCertPair>{{own, own}}));
    options.watch_identity_key_cert_pairs();
  }
  return tls::TlsCredentials(options);
}

}  // namespace torqued::server
