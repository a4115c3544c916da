// Sets of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/connections/peer_address.h"

namespace torqued::server {

/// Addresses and blocks of them: "10.0.0.7", "10.0.0.0/8", "fd00::/8".
class AddressBlocks {
 public:
  /// Or why a text is none.
  static std::variant<AddressBlocks, std::string> Parse(
      const std::vector<std::string>& texts);

  /// Never of a Unix socket.
  bool Contain(const PeerAddress& peer) const;
  bool empty() const { return blocks_.empty(); }

 private:
  struct Block {
    PeerAddress first;
    int bits = 0;  // those that all of its addresses share
  };

  std::vector<Block> blocks_;
};

}  // namespace torqued::server
