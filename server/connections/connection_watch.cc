#include "server/connections/connection_watch.h"

#include <algorithm>
#include <utility>

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

void ConnectionWatch::Window::Begin(std::int64_t byte,
                                    const ProcessReading& process) {
  first_byte = byte;
  Forgive(process);
  growth = {};
}

void ConnectionWatch::Window::Forgive(const ProcessReading& process) {
  least_memory = process.memory;
  least_explained = most_explained = process.explained;
  growth.memory = 0;
}

void ConnectionWatch::Window::Look(const ConnectionReading& now,
                                   const ProcessReading& process) {
  least_memory = std::min(least_memory, process.memory);
  least_explained = std::min(least_explained, process.explained);
  most_explained = std::max(most_explained, process.explained);
  growth.bytes = now.bytes - first_byte;
  // What is admitted is used later, maybe after this began: what all together
  // may use is no growth.
  growth.memory = std::min(
      process.memory - least_memory - (most_explained - least_explained),
      process.memory - process.idle - most_explained);
}

void ConnectionWatch::Forgive(const ProcessReading& process) {
  unanswered_.Forgive(process);
  unfinished_.Forgive(process);
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

bool ConnectionWatch::HeadersDoNotEnd(const ConnectionReading& now) const {
  if (!incomplete_) return false;
  const bool long_since = now.time - last_.time >= limits_->header_time;
  if (now.open() > now.called - now.over) {
    const std::int64_t bytes = Pending(now);
    const bool grows =
        unanswered_.growth.memory >
        std::max(limits_->header_memory, limits_->header_memory_times * bytes);
    return bytes > limits_->header_bytes && (long_since || grows);
  }
  if (!long_since) return false;
  // The newest may have been refused, and what comes be the message of another.
  return now.exact_bytes &&
         unanswered_.growth.bytes > limits_->unanswered_bytes;
}

bool ConnectionWatch::StreamsStay(const ConnectionReading& now) {
  const std::int64_t open = now.open();
  if (open <= limits_->streams || now.ended != ended_) staying_since_.reset();
  ended_ = now.ended;
  if (open <= limits_->streams) return false;
  if (!staying_since_) staying_since_ = now.time;
  return now.time - *staying_since_ >= limits_->streams_time ||
         open > limits_->streams * limits_->streams_times;
}

std::optional<Flood> ConnectionWatch::Look(const ConnectionReading& now,
                                           const ProcessReading& process) {
  if (StreamsStay(now)) return Flood::kStreams;
  incomplete_ = HeadersAreIncomplete(now);
  const bool first = !std::exchange(looked_, true);
  if (first) process_ = process;
  const bool begins_call = now.begun != last_.begun || first;
  const bool ends_message = now.messages != last_.messages;
  const bool ends_call = now.ended != last_.ended;
  if (begins_call || now.called != last_.called || ends_message || ends_call) {
    last_ = now;
  }
  // What is seen together with a new call came with it, or behind it.
  if (begins_call) {
    const std::int64_t byte =
        std::max(bytes_, now.bytes - limits_->sudden_bytes);
    unfinished_.Begin(byte, process_);
    unanswered_.Begin(byte, process_);
  }
  if (ends_message) unfinished_.Begin(now.bytes, process);
  if (ends_message || ends_call || now.sent != sent_) {
    unanswered_.Begin(now.bytes, process);
  }
  bytes_ = now.bytes;
  sent_ = now.sent;
  process_ = process;
  unfinished_.Look(now, process);
  unanswered_.Look(now, process);
  if (HeadersDoNotEnd(now)) return Flood::kHeaders;
  const std::int64_t calls = std::min(now.open(), limits_->streams);
  if (now.exact_bytes &&
      Pending(now) > limits_->window_bytes + calls * limits_->message_bytes) {
    return Flood::kFrames;
  }
  return std::nullopt;
}

}  // namespace torqued::server
