#include "server/lifecycle/certificates.h"

#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
namespace tls = grpc::experimental;

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* it) const { kFree(it); }
};
template <class T, void (*kFree)(T*)>
using Owned = std::unique_ptr<T, Freed<T, kFree>>;

/// Both are read by a thread of gRPC every second.
constexpr unsigned kSecondsBetweenLooks = 1;

bool Read(const std::string& file, std::string* text) {
  std::ifstream in(file, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(in), {});
  return in.is_open() && !in.bad();
}

void Write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw fs::filesystem_error("cannot write", file, {});
}

std::string OpenSslReason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "" : std::string(": ") + reason;
}

/// A key with a passphrase is refused, not asked for.
int NoPassphrase(char* /*text*/, int /*size*/, int /*writes*/, void* /*own*/) {
  return 0;
}

std::int64_t SecondsOf(const ASN1_TIME* time) {
  std::tm calendar{};
  return ASN1_TIME_to_tm(time, &calendar) == 1 ? timegm(&calendar) : 0;
}

bool VouchesForClient(SSL_CTX* context, X509* leaf) {
  const Owned<X509_STORE_CTX, X509_STORE_CTX_free> check(X509_STORE_CTX_new());
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_ctrl(context, SSL_CTRL_GET_CHAIN_CERTS, 0,
               static_cast<void*>(&chain));
  X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context), leaf,
                      chain);
  X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_SSL_CLIENT);
  const bool vouched = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  return vouched;
}

struct Facts {
  std::string problem;
  std::int64_t expires = 0;
  bool is_client = false;
};

/// `files`: as messages name them.
Facts Check(const std::string& pair, const std::string& ca,
            const TlsFiles& files) {
  const Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_default_passwd_cb(context.get(), &NoPassphrase);
  const std::string& key = files.key.empty() ? files.cert : files.key;
  if (SSL_CTX_use_certificate_chain_file(context.get(), pair.c_str()) != 1) {
    return {"tls-cert: " + files.cert + " has no certificate" +
            OpenSslReason()};
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), pair.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    return {"tls-key: " + key + " has no key of the certificate" +
            OpenSslReason()};
  }
  X509* leaf = SSL_CTX_get0_certificate(context.get());
  const ASN1_TIME* end = X509_get0_notAfter(leaf);
  if (X509_cmp_current_time(end) <= 0) {
    return {"tls-cert: " + files.cert + " has expired"};
  }
  if (ca.empty()) return {{}, SecondsOf(end), false};
  if (SSL_CTX_load_verify_locations(context.get(), ca.c_str(), nullptr) != 1) {
    return {"tls-client-ca: " + files.client_ca + " has no certificate" +
            OpenSslReason()};
  }
  return {{}, SecondsOf(end), VouchesForClient(context.get(), leaf)};
}

}  // namespace

Certificates::Certificates(TlsFiles files, std::string directory)
    : files_(std::move(files)), directory_(std::move(directory)) {}

Certificates::~Certificates() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::variant<std::unique_ptr<Certificates>, std::string> Certificates::Open(
    TlsFiles files) {
  std::error_code error;
  std::string directory =
      (fs::temp_directory_path(error) / "torqued-tls-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) {
    return "cannot make a private folder " + directory;
  }
  std::unique_ptr<Certificates> made(
      new Certificates(std::move(files), directory));
  try {
    if (std::string problem = made->Use(); !problem.empty()) return problem;
  } catch (const fs::filesystem_error& failure) {
    return failure.what();
  }
  const std::string pair = directory + "/server.pem",
                    ca = directory + "/ca.pem";
  made->provider_ = made->files_.client_ca.empty()
                        ? std::make_shared<tls::FileWatcherCertificateProvider>(
                              pair, pair, kSecondsBetweenLooks)
                        : std::make_shared<tls::FileWatcherCertificateProvider>(
                              pair, pair, ca, kSecondsBetweenLooks);
  return made;
}

std::string Certificates::Use() {
  std::string pair, key, ca;
  if (!Read(files_.cert, &pair)) {
    return "tls-cert: cannot read " + files_.cert;
  }
  if (!files_.key.empty() && !Read(files_.key, &key)) {
    return "tls-key: cannot read " + files_.key;
  }
  if (!files_.client_ca.empty() && !Read(files_.client_ca, &ca)) {
    return "tls-client-ca: cannot read " + files_.client_ca;
  }
  // One file, so that gRPC never reads a half-replaced pair.
  pair += "\n" + key;
  std::string seen = pair + "\n" + ca;
  if (seen == seen_) return {};
  seen_ = std::move(seen);
  const std::string new_pair = directory_ + "/new.pem",
                    new_ca = directory_ + "/new-ca.pem";
  Write(new_pair, pair);
  if (!files_.client_ca.empty()) Write(new_ca, ca);
  Facts facts = Check(new_pair, files_.client_ca.empty() ? "" : new_ca, files_);
  if (!facts.problem.empty()) return std::move(facts.problem);
  fs::rename(new_pair, directory_ + "/server.pem");
  if (!files_.client_ca.empty()) fs::rename(new_ca, directory_ + "/ca.pem");
  expires_ = facts.expires;
  is_client_ = facts.is_client;
  if (provider_ != nullptr) {
    Log(LogLevel::kInfo, "certificate replaced", {{"file", files_.cert}});
  }
  return {};
}

void Certificates::Reload() {
  std::string problem;
  try {
    problem = Use();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  // Of a file that cannot be read, too.
  const bool is_new = problem != problem_;
  problem_ = problem;
  if (problem.empty() || !is_new) return;
  ++failures_;
  Log(LogLevel::kError, "certificate not replaced", {{"detail", problem}});
}

std::shared_ptr<grpc::ServerCredentials> Certificates::ForServer(
    bool client_must_have_one) const {
  tls::TlsServerCredentialsOptions options(provider_);
  options.watch_identity_key_cert_pairs();
  if (!files_.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(
        client_must_have_one
            ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
            : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> UnverifiedCredentials(
    std::shared_ptr<tls::CertificateProviderInterface> own) {
  tls::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(
      std::make_shared<tls::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  if (own != nullptr) {
    options.set_certificate_provider(std::move(own));
    options.watch_identity_key_cert_pairs();
  }
  return tls::TlsCredentials(options);
}

}  // namespace torqued::server
