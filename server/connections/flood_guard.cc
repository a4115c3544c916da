#include "server/connections/flood_guard.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "server/connections/process_memory.h"
#include "server/observability/logging.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{50};
// Where something may be a flood.
constexpr std::chrono::milliseconds kCloserLook{5};
// Returning memory stops whoever wants some for as long as it takes: once the
// flood is over, or now and then where it is much.
constexpr std::chrono::seconds kQuiet{2};
constexpr std::chrono::milliseconds kBetweenReturns{500};
constexpr std::int64_t kMuchFreed = std::int64_t{160} << 20;
// A connection that leaves so many calls unanswered has left memory, too.
constexpr std::int64_t kMuch = 200;
constexpr std::int64_t kMuchMemory = std::int64_t{16} << 20;
// Calls without a message that are worth a closer look.
constexpr std::int64_t kSuspicious = 64;
// Open calls without a message, of all connections: some 10 KB each.
constexpr std::int64_t kMostWaiting = 16384;

constexpr char kTooMany[] =
    "This connection has begun too many calls that it left or cancelled.";

/// What the system has counted; nothing where it counts nothing, as of Unix
/// sockets.
std::optional<std::int64_t> ReceivedBytes(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      size < offsetof(tcp_info, tcpi_bytes_received) +
                 sizeof info.tcpi_bytes_received) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(info.tcpi_bytes_received);
}

std::int64_t WaitingBytes(int descriptor) {
  int bytes = 0;
  return ioctl(descriptor, FIONREAD, &bytes) == 0 ? bytes : 0;
}

}  // namespace

FloodGuard::FloodGuard(const Limits& limits, std::size_t places)
    : limits_(limits),
      all_calls_(limits.all_calls, limits.all_calls_per_second),
      sockets_(places) {
  for (std::size_t i = 0; i < places; ++i) {
    places_.push_back(std::make_unique<Place>(limits_));
  }
}

FloodGuard::~FloodGuard() { Stop(); }

void FloodGuard::Watch(Connections* connections,
                       std::function<std::int64_t()> accounted) {
  accounted_ = std::move(accounted);
  connections_ = connections;
  resident_ = least_resident_ = ResidentBytes();
  {
    const std::lock_guard lock(sockets_mutex_);
    channelz_.emplace();
  }
  thread_ = std::thread([this] { Run(); });
}

void FloodGuard::Stop() {
  {
    const std::lock_guard lock(stop_mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

FloodGuard::Place* FloodGuard::Find(ConnectionId id) {
  if (id == kNoConnection || SlotOf(id) >= places_.size()) return nullptr;
  Place& place = At(id);
  return place.id.load() == id ? &place : nullptr;
}

void FloodGuard::OnCall(ConnectionId id) {
  if (Place* place = Find(id)) place->handled.fetch_add(1);
}

void FloodGuard::OnEnd(ConnectionId id, bool answered) {
  Place* place = Find(id);
  if (place == nullptr || !answered) return;
  place->budget.OnAnswered(all_calls_);
}

void FloodGuard::OnOpen(const Connection& connection) {
  Place& place = At(connection.id);
  place.called.store(0);
  place.handled.store(0);
  place.flooded.store(false);
  place.budget.Fill();
  place.id.store(connection.id);
  // gRPC counts the transport before it is back from taking the descriptor.
  const std::lock_guard lock(sockets_mutex_);
  FindSocketOfLatest();
  sockets_[SlotOf(connection.id)] = 0;
  latest_ = connection.id;
}

void FloodGuard::FindSocketOfLatest() {
  if (!channelz_) return;
  const std::vector<SocketId> sockets = channelz_->From(next_socket_);
  if (sockets.empty()) return;
  next_socket_ = sockets.back() + 1;
  if (latest_ != kNoConnection) sockets_[SlotOf(latest_)] = sockets.back();
  latest_ = kNoConnection;
}

SocketId FloodGuard::SocketOf(ConnectionId id) {
  const std::lock_guard lock(sockets_mutex_);
  if (id == latest_) FindSocketOfLatest();
  return sockets_[SlotOf(id)];
}

CallVerdict FloodGuard::OnHeaders(const Connection& connection) {
  Place& place = At(connection.id);
  place.called.fetch_add(1);
  const CallBudget::Answer answer =
      place.budget.OnHeaders(Clock::now(), all_calls_);
  if (answer == CallBudget::Answer::kAdmit) return {};
  if (answer == CallBudget::Answer::kEnd && !place.flooded.exchange(true)) {
    ended_at_headers_.fetch_add(1);
    connections_->Abort(connection.id);
    connections_->BeWaryOf(connection.peer);
  }
  return {GRPC_STATUS_UNAVAILABLE, kTooMany, false};
}

void FloodGuard::OnClose(const Connection& connection) {
  Place& place = At(connection.id);
  if (place.flooded.load() || place.budget.Unanswered(Clock::now()) >= kMuch) {
    freed_ = true;
    // gRPC itself ends those that open more than they have acknowledged.
    connections_->BeWaryOf(connection.peer);
  }
  place.id.store(kNoConnection);
}

void FloodGuard::Run() {
  auto pause = kLook;
  std::unique_lock lock(stop_mutex_);
  while (!stopping_.wait_for(lock, pause, [this] { return stop_; })) {
    lock.unlock();
    pause = Look() ? kCloserLook : kLook;
    LogEndsAtHeaders();
    GiveMemoryBack();
    lock.lock();
  }
}

void FloodGuard::CountBytes(const Connection& connection) {
  Place& place = At(connection.id);
  if (place.watched != connection.id) {
    place.watched = connection.id;
    place.peer = connection.peer;
    place.watch = ConnectionWatch(&limits_.watch);
    place.reading = {};
  }
  const std::int64_t before = place.reading.bytes;
  const auto received = ReceivedBytes(connection.descriptor);
  place.reading.exact_bytes = received.has_value();
  place.reading.bytes =
      received ? *received : before + WaitingBytes(connection.descriptor);
  arriving_ += place.watch.Pending(place.reading);
  place.changed = place.reading.bytes != before;
  place.waiting = place.called.load() - place.handled.load() > kSuspicious;
  if (place.changed || place.waiting) seen_.push_back(connection.id);
}

/// Whether the next look should be soon.
bool FloodGuard::Look() {
  seen_.clear();
  arriving_ = 0;
  connections_->ForEach(
      [this](const Connection& connection) { CountBytes(connection); });
  if (seen_.empty()) return false;
  const std::int64_t before = resident_;
  resident_ = ResidentBytes();
  least_resident_ = std::min(least_resident_, resident_);
  const std::int64_t accounted = accounted_();
  bool soon = resident_ - before > kMuchMemory;
  for (const ConnectionId id : seen_) {
    ConnectionReading& reading = At(id).reading;
    reading.memory = resident_;
    reading.accounted = accounted;
    reading.arriving = arriving_;
    soon |= Judge(id);
  }
  EndIdleStreams();
  return soon;
}

bool FloodGuard::Judge(ConnectionId id) {
  Place& place = At(id);
  // Before what gRPC counts, which so is no less.
  place.reading.called = place.called.load();
  const auto counts = ChannelzSockets::Read(SocketOf(id));
  if (!counts) {
    place.waiting = false;
    return false;
  }
  place.reading.begun = counts->begun;
  place.reading.ended = counts->ended;
  place.reading.messages = counts->messages;
  if (const auto flood = place.watch.Look(place.reading)) {
    End(id, *flood);
    place.waiting = false;
  }
  return place.waiting || place.watch.suspicious();
}

void FloodGuard::EndIdleStreams() {
  // Of those that have calls without a message.
  std::vector<std::pair<std::int64_t, ConnectionId>> waiting;
  std::int64_t all = 0;
  for (const ConnectionId id : seen_) {
    const Place& place = At(id);
    if (!place.waiting) continue;
    const std::int64_t open = place.reading.open();
    all += open;
    waiting.emplace_back(open, id);
  }
  std::sort(waiting.rbegin(), waiting.rend());
  for (const auto& [open, id] : waiting) {
    if (all <= kMostWaiting) break;
    End(id, Flood::kStreams);
    all -= open;
  }
}

void FloodGuard::End(ConnectionId id, Flood flood) {
  connections_->Abort(id);
  connections_->BeWaryOf(At(id).peer);
  At(id).flooded = true;
  Log(LogLevel::kWarn, "ended a connection",
      {{"reason", NameOf(flood)},
       {"streams", At(id).reading.open()},
       {"bytes", At(id).reading.bytes}});
}

void FloodGuard::GiveMemoryBack() {
  const auto now = Clock::now();
  if (freed_.exchange(false)) freed_at_ = now;
  if (!freed_at_) return;
  const bool much = resident_ - least_resident_ > kMuchFreed &&
                    now - gave_back_at_ > kBetweenReturns;
  if (!much && now - *freed_at_ < kQuiet) return;
  freed_at_.reset();
  gave_back_at_ = now;
  ReturnFreeMemory();
}

void FloodGuard::LogEndsAtHeaders() {
  const std::int64_t ended = ended_at_headers_.load();
  if (ended == logged_at_headers_) return;
  Log(LogLevel::kWarn, "ended connections",
      {{"reason", "unanswered-calls"}, {"count", ended - logged_at_headers_}});
  logged_at_headers_ = ended;
}

}  // namespace torqued::server
