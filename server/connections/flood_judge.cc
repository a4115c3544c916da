#include "server/connections/flood_judge.h"

#include <algorithm>
#include <utility>

namespace torqued::server {

FloodJudge::FloodJudge(const Limits& limits, std::size_t places)
    : limits_(limits),
      places_(places, Place{kNoConnection, ConnectionWatch(&limits_.watch)}) {}

ConnectionWatch& FloodJudge::WatchOf(ConnectionId id) {
  Place& place = places_[SlotOf(id)];
  if (place.id != id) place = {id, ConnectionWatch(&limits_.watch)};
  return place.watch;
}

const std::vector<FloodJudge::Verdict>& FloodJudge::Look(
    const std::vector<Seen>& seen, std::int64_t memory, std::int64_t accounted,
    std::int64_t idle) {
  const ProcessReading process{memory, Explained(seen, accounted), idle};
  verdicts_.clear();
  soon_ = false;
  for (const Seen& one : seen) {
    if (!one.counted) continue;
    ConnectionWatch& watch = WatchOf(one.id);
    if (const auto flood = watch.Look(one.reading, process)) {
      verdicts_.push_back({one.id, *flood});
    }
    soon_ |= watch.suspicious();
  }
  EndWaiting(seen);
  // Those that are ended already may have been it.
  if (verdicts_.empty() && !forgive_) EndGrowing(seen);
  // Whether others had a part in it shows from here on.
  if (!verdicts_.empty() || std::exchange(forgive_, false)) {
    for (const Seen& one : seen) {
      if (IsEnded(one.id)) Leave(one);
      WatchOf(one.id).Forgive(process);
    }
  }
  return verdicts_;
}

void FloodJudge::Leave(const Seen& ended) {
  const std::int64_t bytes = WatchOf(ended.id).Pending(ended.reading);
  left_ = std::min(limits_.most_left, left_ + limits_.times_left * bytes);
  left_until_ = ended.reading.time + limits_.aftermath;
}

bool FloodJudge::IsEnded(ConnectionId id) const {
  return std::any_of(verdicts_.begin(), verdicts_.end(),
                     [id](const Verdict& verdict) { return verdict.id == id; });
}

std::int64_t FloodJudge::Explained(const std::vector<Seen>& seen,
                                   std::int64_t accounted) {
  if (!seen.empty() && seen.front().reading.time >= left_until_) left_ = 0;
  std::int64_t explained = accounted + left_;
  for (const Seen& one : seen) {
    explained += limits_.connection_bytes;
    // Of one whose calls are not known, what it has ever sent says nothing.
    if (!one.counted) continue;
    explained += limits_.call_bytes * one.reading.open() +
                 limits_.copies * WatchOf(one.id).Pending(one.reading);
  }
  return explained;
}

void FloodJudge::EndWaiting(const std::vector<Seen>& seen) {
  using Waiting = std::pair<std::int64_t, ConnectionId>;
  struct Peer {
    std::int64_t all = 0;
    std::vector<Waiting> connections;
  };
  std::map<std::string_view, Peer> peers;
  std::int64_t all = 0;
  for (const Seen& one : seen) {
    const std::int64_t waiting = one.reading.waiting();
    if (!one.counted || waiting == 0 || IsEnded(one.id)) continue;
    Peer& peer = peers[one.peer];
    peer.all += waiting;
    peer.connections.emplace_back(waiting, one.id);
    all += waiting;
  }
  if (all <= limits_.waiting) return too_many_since_.reset();
  soon_ = true;
  const auto now = seen.front().reading.time;
  if (!too_many_since_) too_many_since_ = now;
  if (all <= 2 * limits_.waiting &&
      now - *too_many_since_ < limits_.waiting_time) {
    return;
  }
  for (auto& [unused, peer] : peers) {
    std::sort(peer.connections.begin(), peer.connections.end());
  }
  // Of the peer that has most, the connection that has most.
  while (all > limits_.waiting) {
    Peer& most = std::max_element(peers.begin(), peers.end(),
                                  [](const auto& a, const auto& b) {
                                    return a.second.all < b.second.all;
                                  })
                     ->second;
    const auto [waiting, id] = most.connections.back();
    most.connections.pop_back();
    most.all -= waiting;
    all -= waiting;
    verdicts_.push_back({id, Flood::kStreams});
  }
}

FloodJudge::Suspects FloodJudge::WhoseMemoryGrows(const std::vector<Seen>& seen,
                                                  GrowthOf growth,
                                                  std::int64_t memory) {
  Suspects suspects;
  for (const Seen& one : seen) {
    const ConnectionWatch::Growth& of_one = (WatchOf(one.id).*growth)();
    const bool has_part = of_one.bytes >= limits_.least_bytes;
    // Another connection of the peer goes with those, before as much is made of
    // what has come by it.
    if (!has_part && one.reading.unread < limits_.least_bytes) continue;
    Suspect& suspect = suspects[one.peer];
    suspect.ids.push_back(one.id);
    if (!has_part) continue;
    suspect.growth.bytes += of_one.bytes;
    suspect.growth.memory = std::max(suspect.growth.memory, of_one.memory);
  }
  std::erase_if(suspects, [&](const auto& entry) {
    const ConnectionWatch::Growth& of_peer = entry.second.growth;
    return of_peer.bytes <= limits_.least_of_peer || of_peer.memory <= memory ||
           of_peer.memory <= limits_.memory_times * of_peer.bytes;
  });
  return suspects;
}

void FloodJudge::EndGrowing(const std::vector<Seen>& seen) {
  Suspects suspects =
      WhoseMemoryGrows(seen, &ConnectionWatch::unanswered, limits_.memory);
  if (suspects.empty()) {
    suspects = WhoseMemoryGrows(seen, &ConnectionWatch::unfinished,
                                2 * limits_.memory);
  }
  if (suspects.empty()) return;
  // It has sent enough to have done it, and least of those that have.
  const auto rank = [this](const Suspect& suspect) {
    const auto& [bytes, memory] = suspect.growth;
    const bool enough = bytes >= memory / limits_.most_times;
    return std::pair(enough, enough ? -bytes : bytes);
  };
  const auto& [unused, worst] = *std::max_element(
      suspects.begin(), suspects.end(), [&](const auto& a, const auto& b) {
        return rank(a.second) < rank(b.second);
      });
  // Nobody else can have been it where no other has sent enough.
  const bool certain =
      std::count_if(suspects.begin(), suspects.end(), [&](const auto& entry) {
        return rank(entry.second).first == rank(worst).first;
      }) == 1;
  for (const ConnectionId id : worst.ids) {
    verdicts_.push_back({id, Flood::kMemory, certain});
  }
}

}  // namespace torqued::server
