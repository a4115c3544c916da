#include "server/connections/address_blocks.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace torqued::server {
namespace {

std::optional<PeerAddress> AddressOf(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return PeerAddress::Ipv4(bytes.data(), 0);
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) {
    return PeerAddress::Ipv6(bytes.data(), 0);
  }
  return std::nullopt;
}

int BitsOf(const PeerAddress& address) {
  return address.kind == PeerAddress::Kind::kIpv4 ? 32 : 128;
}

bool Bit(const PeerAddress& address, int i) {
  const std::uint8_t byte = address.bytes[static_cast<std::size_t>(i / 8)];
  return ((byte >> (7 - i % 8)) & 1) != 0;
}

}  // namespace

std::variant<AddressBlocks, std::string> AddressBlocks::Parse(
    const std::vector<std::string>& texts) {
  AddressBlocks blocks;
  for (const std::string& text : texts) {
    const std::size_t slash = text.find('/');
    const std::string host = text.substr(0, slash);
    const auto first = AddressOf(host);
    if (!first) {
      return "needs an address or a block of them, such as 10.0.0.0/8, not '" +
             text + "'";
    }
    // Blocks of mapped addresses are written as those of IPv4.
    const bool mapped = first->kind == PeerAddress::Kind::kIpv4 &&
                        host.find(':') != std::string::npos;
    Block block{*first, BitsOf(*first)};
    if (slash != std::string::npos) {
      const char* begin = text.data() + slash + 1;
      const char* end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(begin, end, block.bits);
      if (mapped || error != std::errc{} || stop != end || *begin == '-' ||
          block.bits > BitsOf(*first)) {
        return "needs from 0 to " + std::to_string(BitsOf(*first)) +
               " bits behind the slash, not '" + text + "'";
      }
    }
    for (int i = block.bits; i < BitsOf(*first); ++i) {
      if (Bit(*first, i)) {
        return "'" + text + "' has bits behind those of its block";
      }
    }
    blocks.blocks_.push_back(block);
  }
  return blocks;
}

bool AddressBlocks::Contain(const PeerAddress& peer) const {
  return std::any_of(
      blocks_.begin(), blocks_.end(), [&peer](const Block& block) {
        if (peer.kind != block.first.kind ||
            peer.kind == PeerAddress::Kind::kUnix) {
          return false;
        }
        int i = 0;
        while (i < block.bits && Bit(peer, i) == Bit(block.first, i)) ++i;
        return i == block.bits;
      });
}

}  // namespace torqued::server
