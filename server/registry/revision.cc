#include "server/registry/revision.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/model/text.h"

namespace torqued::server {
namespace {

constexpr std::string_view kFixedPart =
    "base=fixed;mimic=independent;validation=";
constexpr std::string_view kTipPart = ";tip=";

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    Check(context_ != nullptr &&
          EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void Add(std::string_view bytes) {
    Check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  void AddPart(std::string_view bytes) {
    std::array<char, 8> length;
    for (std::size_t i = 0; i < length.size(); ++i) {
      length[i] =
          static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> 8 * i);
    }
    Add({length.data(), length.size()});
    Add(bytes);
  }

  std::string Hex() {
    std::array<unsigned char, 32> digest;
    unsigned int size = 0;
    Check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1 &&
          size == digest.size());
    constexpr char kHex[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * digest.size());
    for (const unsigned char byte : digest) {
      hex += kHex[byte >> 4];
      hex += kHex[byte & 15];
    }
    return hex;
  }

 private:
  // OpenSSL fails here only without memory or without SHA-256. Any digest that
  // we could return then would name content that it does not identify.
  static void Check(bool ok) {
    if (!ok) std::abort();
  }

  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

std::string RegistrationOptions::Canonical() const {
  std::string text(kFixedPart);
  text += ToString(validation);
  text += kTipPart;
  text += default_tip;
  return text;
}

std::optional<RegistrationOptions> RegistrationOptions::FromCanonical(
    std::string_view canonical) {
  if (!canonical.starts_with(kFixedPart)) return std::nullopt;
  canonical.remove_prefix(kFixedPart.size());
  const std::size_t end = canonical.find(kTipPart);
  if (end == std::string_view::npos) return std::nullopt;
  const auto validation = FindValidation(canonical.substr(0, end));
  if (!validation) return std::nullopt;
  // Last, because a link name may hold any character.
  canonical.remove_prefix(end + kTipPart.size());
  return RegistrationOptions{.default_tip = std::string(canonical),
                             .validation = *validation};
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options) {
  Sha256 sha;
  sha.AddPart(kRevisionLayout);
  sha.AddPart(format);
  sha.AddPart(source);
  sha.AddPart(canonical_options);
  return sha.Hex();
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options) {
  return ComputeRevision(format, source, options.Canonical());
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 sha;
  sha.Add(bytes);
  return sha.Hex();
}

}  // namespace torqued::server
