#include "server/connections/connection_watch.h"

#include <algorithm>

namespace torqued::server {

std::string_view NameOf(Flood flood) {
  switch (flood) {
    case Flood::kStreams:
      return "open-streams";
    case Flood::kHeaders:
      return "endless-headers";
    case Flood::kFrames:
      return "idle-frames";
    case Flood::kMemory:
      return "growing-memory";
  }
  return "";
}

bool ConnectionWatch::HeadersAreIncomplete(const ConnectionReading& now) {
  // gRPC refuses some headers by itself, for their size or for what they lack,
  // and shows them to nobody. The headers of a stream are complete when another
  // one begins, so only the newest may be incomplete. Where as many were shown
  // as have begun, that is taken for the newest.
  const std::int64_t missing = now.begun - now.called;
  const std::int64_t begun = now.begun - last_.begun;
  if (begun > 0) {
    const bool all = now.called - last_.called >= begun;
    passed_over_ = std::max(passed_over_, all ? missing : missing - 1);
  }
  passed_over_ = std::min(passed_over_, missing);
  return missing > passed_over_;
}

bool ConnectionWatch::StreamsStay(const ConnectionReading& now) {
  const std::int64_t open = now.open();
  const bool staying = open > limits_->streams && now.ended == ended_;
  stayed_ = staying ? stayed_ + 1 : 0;
  ended_ = now.ended;
  return stayed_ > limits_->looks ||
         open > limits_->streams * limits_->streams_times;
}

bool ConnectionWatch::MemoryGrows(const ConnectionReading& now) {
  // What calls give back, the allocator keeps: so the most that they had.
  memory_.least = std::min(memory_.least, now.memory);
  memory_.least_accounted = std::min(memory_.least_accounted, now.accounted);
  memory_.most_accounted = std::max(memory_.most_accounted, now.accounted);
  memory_.most_arriving = std::max(memory_.most_arriving, now.arriving);
  const std::int64_t growth =
      now.memory - memory_.least -
      (memory_.most_accounted - memory_.least_accounted) -
      limits_->copies * memory_.most_arriving;
  const std::int64_t bytes = Pending(now);
  return bytes > limits_->header_bytes &&
         growth > std::max(limits_->memory, limits_->memory_times * bytes);
}

std::optional<Flood> ConnectionWatch::Look(const ConnectionReading& now) {
  if (StreamsStay(now)) return Flood::kStreams;
  incomplete_ = HeadersAreIncomplete(now);
  if (now.begun != last_.begun || now.ended != last_.ended ||
      now.called != last_.called || now.messages != last_.messages) {
    last_ = now;
    memory_ = {now.memory, now.accounted, now.accounted, now.arriving};
    return std::nullopt;
  }
  const std::int64_t bytes = Pending(now);
  if (incomplete_ && bytes > limits_->header_bytes) return Flood::kHeaders;
  if (MemoryGrows(now)) return Flood::kMemory;
  if (now.exact_bytes &&
      bytes > limits_->window_bytes +
                  (now.open() > 0 ? limits_->message_bytes : 0)) {
    return Flood::kFrames;
  }
  return std::nullopt;
}

}  // namespace torqued::server
