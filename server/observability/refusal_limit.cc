#include "server/observability/refusal_limit.h"

namespace torqued::server {
namespace {

// Of what names a peer.
constexpr std::size_t kMaxPeerBytes = 64;

}  // namespace

bool RefusalLimit::Take(std::string_view reason, std::string_view peer,
                        Clock::time_point now) {
  Key key{reason, peer.substr(0, kMaxPeerBytes)};
  auto found = counts_.find(key);
  if (found == counts_.end()) {
    if (counts_.size() >= kMaxCounts) key.second = kOtherPeers;
    found = counts_.try_emplace(std::move(key), Count{now + kTime}).first;
  }
  Count& count = found->second;
  // Its time is told and over, or soon is: what is over and not told yet goes
  // on counting.
  if (now >= count.end && count.refusals <= kLines) {
    count = Count{now + kTime};
  }
  return ++count.refusals <= kLines;
}

std::vector<RefusalLimit::LeftOut> RefusalLimit::TakeLeftOut(
    Clock::time_point now) {
  std::vector<LeftOut> told;
  for (auto at = counts_.begin(); at != counts_.end();) {
    const auto& [key, count] = *at;
    if (now < count.end) {
      ++at;
      continue;
    }
    if (count.refusals > kLines) {
      told.push_back({key.first, key.second, count.refusals - kLines});
    }
    at = counts_.erase(at);
  }
  return told;
}

std::string_view HostOf(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  const bool has_port = !peer.starts_with("unix:") && colon < peer.size() - 1;
  return has_port ? peer.substr(0, colon) : peer;
}

}  // namespace torqued::server
