// Any bytes as what a proxy sends ahead of a connection.
#include <algorithm>
#include <string_view>
#include <variant>

#include "server/connections/proxy_header.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued;          // NOLINT(google-build-using-namespace)
using namespace torqued::server;  // NOLINT(google-build-using-namespace)

using Reading = std::variant<ProxyHeader, ProxyHeaderNeeds, NoProxyHeader>;

bool AreSame(const Reading& a, const Reading& b) {
  if (a.index() != b.index()) return false;
  if (const auto* header = std::get_if<ProxyHeader>(&a)) {
    return header->peer == std::get<ProxyHeader>(b).peer;
  }
  const auto* none = std::get_if<NoProxyHeader>(&a);
  return none == nullptr || none->why == std::get<NoProxyHeader>(b).why;
}

/// Reads as the listener does: `cut` bytes at a time, and none beyond what the
/// header is known to have.
Reading InPieces(std::string_view text, std::size_t cut, std::size_t* used) {
  std::size_t have = 0;
  while (true) {
    Reading reading = ReadProxyHeader(text.substr(0, have));
    const auto* needs = std::get_if<ProxyHeaderNeeds>(&reading);
    *used = have;
    if (needs == nullptr) return reading;
    FUZZ_REQUIRE(needs->bytes > have, "it needs nothing more");
    FUZZ_REQUIRE(needs->bytes <= kMaxProxyHeader, "it needs too much");
    if (have == text.size()) return reading;
    have = std::min({have + cut, needs->bytes, text.size()});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  std::size_t used = 0, used_by_byte = 0;
  const Reading reading = InPieces(text, kMaxProxyHeader, &used);
  const Reading by_byte = InPieces(text, 1, &used_by_byte);
  FUZZ_REQUIRE(AreSame(reading, by_byte), "cut otherwise it reads otherwise");
  if (const auto* header = std::get_if<ProxyHeader>(&reading)) {
    FUZZ_REQUIRE(used == used_by_byte && used >= kProxyPrefix, "its end");
    const bool tells = header->peer.has_value();
    FUZZ_REQUIRE(!tells || header->peer->kind != PeerAddress::Kind::kUnix,
                 "a user that nobody knows");
    // What follows is the client's, and changes nothing.
    FUZZ_REQUIRE(AreSame(reading, ReadProxyHeader(text)), "its rest");
  } else if (const auto* none = std::get_if<NoProxyHeader>(&reading)) {
    FUZZ_REQUIRE(!none->why.empty() && none->why.size() < 40, none->why);
  }
  return 0;
}
