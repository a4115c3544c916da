#include "server/connections/flood_guard.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "server/connections/process_memory.h"
#include "server/observability/logging.h"
#include "server/observability/refusal_log.h"

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
constexpr std::int64_t kMuchMemory = std::int64_t{16} << 20;
// A connection that leaves so many calls unanswered has left memory, too, and a
// peer that leaves so many at once is one to be wary of.
constexpr std::int64_t kMuch = 60;
constexpr std::int64_t kVeryMuch = 2000;
// So has one that closes with so many bytes that are no message.
constexpr std::int64_t kMuchUnfinished = std::int64_t{16} << 10;
// So have so many that close before their calls have ended.
constexpr int kManyClosed = 64;
// Budgets of peers.
constexpr std::size_t kPeers = 4096;
// Peers that a look tells of, of those whose connections have ended.
constexpr std::size_t kMostTold = 64;

constexpr char kTooMany[] =
    "This connection has begun too many calls that it left or cancelled.";
constexpr char kBusy[] =
    "The server has too many calls that wait for their messages. Try again "
    "later.";

struct Bytes {
  std::int64_t received = 0;
  std::int64_t sent = 0;
};

/// What the system has counted; nothing where it counts nothing, as of Unix
/// sockets.
std::optional<Bytes> BytesOf(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      size <
          offsetof(tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent) {
    return std::nullopt;
  }
  return Bytes{static_cast<std::int64_t>(info.tcpi_bytes_received),
               static_cast<std::int64_t>(info.tcpi_bytes_sent)};
}

std::int64_t WaitingBytes(int descriptor) {
  int bytes = 0;
  return ioctl(descriptor, FIONREAD, &bytes) == 0 ? bytes : 0;
}

/// A limit is of a host, whatever its ports.
bool MayLogEnd(std::string_view reason, PeerAddress peer) {
  peer.port = 0;
  return MayLogRefusal(reason, peer.Text());
}

}  // namespace

FloodGuard::FloodGuard(const Limits& limits, std::size_t places)
    : limits_(limits),
      all_calls_(limits.all_calls, limits.all_calls_per_second),
      seed_(std::random_device{}()),
      judge_(limits.judge, places),
      sockets_(places) {
  for (std::size_t i = 0; i < places; ++i) {
    places_.push_back(std::make_unique<Place>(limits_));
  }
  for (std::size_t i = 0; i < kPeers; ++i) {
    of_peers_.emplace_back(limits.all_calls, limits.call.calls_per_second);
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
  if (Place* place = Find(id)) place->serving.fetch_add(1);
}

void FloodGuard::OnEnd(ConnectionId id, bool answered) {
  Place* place = Find(id);
  if (place == nullptr) return;
  place->serving.fetch_sub(1);
  place->over.fetch_add(1);
  if (answered) {
    place->budget.OnAnswered(SharedBy(*place));
  } else {
    place->left.store(true);
  }
}

void FloodGuard::OnOpen(const Connection& connection) {
  Place& place = At(connection.id);
  place.called.store(0);
  place.serving.store(0);
  place.over.store(0);
  place.unfinished.store(0);
  place.left.store(false);
  place.budget.Fill();
  const std::size_t hash =
      std::hash<std::string>()(connection.peer.Key()) ^ seed_;
  place.of_peer.store(&of_peers_[hash * 0x9E3779B97F4A7C15U % kPeers]);
  place.id.store(connection.id);
  // gRPC counts the transport before it is back from taking the descriptor.
  const std::lock_guard lock(sockets_mutex_);
  const ConnectionId before = std::exchange(latest_, kNoConnection);
  SocketId& socket = sockets_[SlotOf(connection.id)];
  socket = 0;
  // Where there is no memory for that, both stay without: they are not judged,
  // nor one by the counts of the other.
  FindSocketOf(before);
  socket = 0;  // the one before may have had this place
  latest_ = connection.id;
}

bool FloodGuard::FindSocketOf(ConnectionId id) {
  if (!channelz_) return false;
  const std::vector<SocketId> sockets = channelz_->From(next_socket_);
  if (sockets.empty()) return false;
  next_socket_ = sockets.back() + 1;
  if (id != kNoConnection) sockets_[SlotOf(id)] = sockets.back();
  return true;
}

SocketId FloodGuard::SocketOf(ConnectionId id) {
  const std::lock_guard lock(sockets_mutex_);
  if (id == latest_ && FindSocketOf(id)) latest_ = kNoConnection;
  return sockets_[SlotOf(id)];
}

CallVerdict FloodGuard::OnHeaders(const Connection& connection) {
  Place& place = At(connection.id);
  place.called.fetch_add(1);
  const CallBudget::Answer answer =
      place.budget.OnHeaders(Clock::now(), SharedBy(place));
  if (answer == CallBudget::Answer::kAdmit) return {};
  place.over.fetch_add(1);
  if (answer == CallBudget::Answer::kBusy) {
    return {GRPC_STATUS_UNAVAILABLE, kBusy, false};
  }
  if (answer == CallBudget::Answer::kEnd &&
      EndAtHeaders(connection, "unanswered-calls")) {
    connections_->BeWaryOf(connection.peer);
  }
  return {GRPC_STATUS_UNAVAILABLE, kTooMany, false};
}

void FloodGuard::OnEndlessHeaders(const Connection& connection) {
  // The caller has aborted the connection before gRPC got the headers. They
  // took no memory, so the peer may connect again at once, and the judge goes
  // on looking for whose memory grows.
  TellEnd({NameOf(Flood::kHeaders), connection.peer}, false);
}

bool FloodGuard::EndAtHeaders(const Connection& connection,
                              std::string_view reason) {
  Place& place = At(connection.id);
  if (place.flooded.exchange(connection.id) == connection.id) return false;
  connections_->Abort(connection.id);
  TellEnd({reason, connection.peer}, true);
  return true;
}

void FloodGuard::TellEnd(const EndedAtHeaders& end, bool took_memory) {
  const std::lock_guard lock(ended_mutex_);
  others_ended_ |= took_memory;
  if (ended_at_headers_.size() < kMostTold) ended_at_headers_.push_back(end);
}

void FloodGuard::OnClose(const Connection& connection) {
  Place& place = At(connection.id);
  const auto now = Clock::now();
  const bool unanswered = place.budget.Unanswered(now) >= kMuch;
  if (unanswered || place.unfinished.load() >= kMuchUnfinished ||
      place.flooded.load() == connection.id) {
    freed_ = true;
  }
  const bool early = place.left.load() || place.called > place.over;
  if (early && closed_early_.fetch_add(1) + 1 >= kManyClosed) {
    closed_early_ = 0;
    freed_ = true;
  }
  // gRPC itself ends those that open more than they have acknowledged.
  if (unanswered && place.of_peer.load()->Missing(now) >= kVeryMuch) {
    connections_->BeWaryOf(connection.peer);
  }
  place.id.store(kNoConnection);
}

void FloodGuard::Run() {
  auto pause = kLook;
  std::unique_lock lock(stop_mutex_);
  while (!stopping_.wait_for(lock, pause, [this] { return stop_; })) {
    lock.unlock();
    try {
      LogEndsAtHeaders();
      pause = Look() ? kCloserLook : kLook;
      GiveMemoryBack();
    } catch (const std::bad_alloc&) {
      // Looks again: there may be memory then.
      pause = kLook;
    }
    lock.lock();
  }
}

void FloodGuard::See(const Connection& connection) {
  Place& place = At(connection.id);
  // What is ended counts no bytes any more.
  if (place.flooded.load() == connection.id) return;
  if (place.watched != connection.id) {
    place.watched = connection.id;
    place.peer = connection.peer;
    place.key = connection.peer.Key();
    place.reading = {};
    place.counted = false;
  }
  ConnectionReading& reading = place.reading;
  const ConnectionReading before = reading;
  const auto bytes = BytesOf(connection.descriptor);
  const std::int64_t waiting = WaitingBytes(connection.descriptor);
  reading.exact_bytes = bytes.has_value();
  reading.unread = waiting;
  if (bytes) {
    reading.bytes = std::max(before.bytes, bytes->received - waiting);
    reading.sent = std::max(before.sent, bytes->sent);
  } else {
    reading.bytes += waiting;
  }
  reading.time = Clock::now();
  // Before what gRPC counts, which so is no less.
  reading.over = place.over.load();
  reading.serving = place.serving.load();
  reading.called = place.called.load();
  if (reading.bytes != before.bytes || reading.called != before.called ||
      reading.over != before.over || reading.waiting() > 0) {
    changed_.push_back(connection.id);
  }
  open_.push_back(connection.id);
}

/// Whether the next look should be soon.
bool FloodGuard::Look() {
  open_.clear();
  changed_.clear();
  seen_.clear();
  connections_->ForEach(
      [this](const Connection& connection) { See(connection); });
  const std::int64_t before = resident_;
  resident_ = ResidentBytes();
  least_resident_ = std::min(least_resident_, resident_);
  for (const ConnectionId id : changed_) Count(id);
  for (const ConnectionId id : open_) {
    const Place& place = At(id);
    seen_.push_back({id, place.key, place.reading, place.counted});
  }
  const std::vector<FloodJudge::Verdict>& verdicts =
      judge_.Look(seen_, resident_, accounted_(), least_resident_);
  // All are ended before anything for which there may be no memory: the judge
  // has forgiven what they did.
  for (const auto& verdict : verdicts) End(verdict.id);
  for (const auto& verdict : verdicts) {
    if (verdict.certain) connections_->BeWaryOf(At(verdict.id).peer);
  }
  for (const auto& verdict : verdicts) LogEnd(verdict);
  for (const FloodJudge::Seen& seen : seen_) {
    At(seen.id).unfinished.store(judge_.UnfinishedBytes(seen.id));
  }
  return judge_.soon() || resident_ - before > kMuchMemory;
}

void FloodGuard::Count(ConnectionId id) {
  Place& place = At(id);
  const auto counts = ChannelzSockets::Read(SocketOf(id));
  place.counted = counts.has_value();
  if (!counts) return;
  ConnectionReading& reading = place.reading;
  reading.begun = counts->begun;
  reading.ended = counts->ended;
  reading.messages = counts->messages;
}

void FloodGuard::End(ConnectionId id) {
  // Marked first: it may be over at once, and be another's place.
  At(id).flooded = id;
  connections_->Abort(id);
}

void FloodGuard::LogEnd(const FloodJudge::Verdict& verdict) {
  const Place& place = At(verdict.id);
  const std::string peer = place.peer.Text();
  const std::string_view reason = NameOf(verdict.flood);
  if (!MayLogEnd(reason, place.peer)) return;
  Log(LogLevel::kWarn, "ended a connection",
      {{"reason", reason},
       {"peer", peer},
       {"streams", place.reading.open()},
       {"bytes", place.reading.bytes}});
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
  std::vector<EndedAtHeaders> ended;
  bool others_ended = false;
  {
    const std::lock_guard lock(ended_mutex_);
    ended.swap(ended_at_headers_);
    others_ended = std::exchange(others_ended_, false);
  }
  if (others_ended) judge_.OthersEnded();
  for (const auto& [reason, peer] : ended) {
    if (!MayLogEnd(reason, peer)) continue;
    Log(LogLevel::kWarn, "ended a connection",
        {{"reason", reason}, {"peer", peer.Text()}});
  }
}

}  // namespace torqued::server
