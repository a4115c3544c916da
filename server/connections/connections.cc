#include "server/connections/connections.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "server/connections/shown_reads.h"

namespace torqued::server {
namespace {

/// What an observer has no memory for is not told: the connection goes on, and
/// goes.
template <class Tell>
void TellObserver(const Tell& tell) {
  try {
    tell();
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

std::string_view NameOf(Connections::Refusal refusal) {
  switch (refusal) {
    case Connections::Refusal::kAll:
      return "max-connections";
    case Connections::Refusal::kPerPeer:
      return "max-connections-per-peer";
    case Connections::Refusal::kFlood:
      return "flood";
    case Connections::Refusal::kDescriptors:
      return "descriptors";
  }
  return "";
}

Connections::Connections(const Limits& limits,
                         std::shared_ptr<ConnectionObserver> observer)
    : limits_(limits), observer_(std::move(observer)), places_(limits.all) {
  free_.reserve(places_.size());
  for (std::size_t i = places_.size(); i-- > 0;) {
    places_[i].slot = std::make_shared<ConnectionSlot>();
    places_[i].slot->observer = observer_;
    free_.push_back(i);
  }
}

Connections::~Connections() {
  for (const Place& place : places_) {
    if (place.connection.descriptor < 0) continue;
    StopShowingReads(place.handed_over, place.slot.get());
    close(place.connection.descriptor);
  }
}

void Connections::RegisterWith(grpc::ServerBuilder* builder) {
  std::vector<std::shared_ptr<ConnectionSlot>> slots;
  slots.reserve(places_.size());
  for (const Place& place : places_) slots.push_back(place.slot);
  ports_ = std::make_unique<SlotPorts>(std::move(slots));
  ports_->RegisterWith(builder);
}

Connections::Place* Connections::Find(ConnectionId id) {
  const std::size_t slot = SlotOf(id);
  if (id == kNoConnection || slot >= places_.size()) return nullptr;
  Place& place = places_[slot];
  return place.connection.id == id ? &place : nullptr;
}

std::variant<ConnectionId, Connections::Refusal> Connections::Reserve() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return Refusal::kAll;
  const std::size_t slot = free_.back();
  free_.pop_back();
  Place& place = places_[slot];
  place.state = State::kReserved;
  place.connection.id = (++opened_ << kSlotBits) | slot;
  return place.connection.id;
}

void Connections::LeaveLocked(Place& place) {
  if (const auto of_peer = of_peers_.find(place.key);
      of_peer != of_peers_.end() && --of_peer->second == 0) {
    of_peers_.erase(of_peer);
  }
  free_.push_back(SlotOf(place.connection.id));
  place.key.clear();
  place.connection = {};
  place.handed_over = -1;
  place.state = State::kFree;
}

void Connections::Release(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  Place* place = Find(id);
  if (place != nullptr && place->state == State::kReserved) {
    LeaveLocked(*place);
  }
}

std::variant<int, Connections::Refusal> Connections::Open(
    ConnectionId id, Descriptor descriptor, const PeerAddress& peer,
    bool proxied) {
  Descriptor duplicate(fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0));
  if (duplicate.number() < 0) {
    Release(id);
    return Refusal::kDescriptors;
  }
  const Connection connection{id, duplicate.number(), peer, proxied,
                              std::chrono::steady_clock::now()};
  Place* place = nullptr;
  std::optional<Refusal> refusal;
  {
    const std::lock_guard lock(mutex_);
    std::string key = peer.Key();
    refusal = RefusalOfLocked(key, connection.opened);
    if (!refusal) {
      ++of_peers_[key];
      if (const auto wary = wary_.find(key); wary != wary_.end()) {
        wary->second.next = connection.opened + kBetweenWary;
      }
      place = Find(id);
      place->key = std::move(key);
      place->connection = connection;
      place->handed_over = descriptor.number();
      place->state = State::kOpen;
      duplicate.Release();
    }
  }
  if (refusal) {
    Release(id);
    return *refusal;
  }
  {
    const std::lock_guard lock(place->slot->mutex);
    place->slot->connection = connection;
    place->slot->meter = {};
    TellObserver([&] { observer_->OnOpen(connection); });
  }
  ShowReads(descriptor.number(), place->slot.get());
  // Unlocked: a call may come in meanwhile, on this thread or another.
  ports_->Give(SlotOf(id), descriptor.Release());
  return connection.descriptor;
}

void Connections::OnHangUp(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  Place* place = Find(id);
  if (place != nullptr && place->state == State::kOpen) {
    place->state = State::kHungUp;
  }
}

std::size_t Connections::Sweep() {
  std::size_t left = 0;
  for (Place& place : places_) {
    Connection connection;
    {
      const std::lock_guard lock(mutex_);
      if (place.state != State::kHungUp) continue;
      // No other socket is the same as long as the duplicate is open.
      if (AreSameSocket(place.handed_over, place.connection.descriptor)) {
        ++left;
        continue;
      }
      // A transport of gRPC closes its descriptor once the last of its streams
      // is gone, and with it the last call that could come here.
      StopShowingReads(place.handed_over, place.slot.get());
      connection = std::exchange(place.connection, {});
      place.connection.id = connection.id;
    }
    {
      const std::lock_guard lock(place.slot->mutex);
      place.slot->connection = {};
      TellObserver([&] { observer_->OnClose(connection); });
    }
    close(connection.descriptor);
    const std::lock_guard lock(mutex_);
    LeaveLocked(place);
  }
  return left;
}

bool Connections::Unsent() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) {
    int bytes = 0;
    return place.state == State::kOpen &&
           place.connection.peer.kind != PeerAddress::Kind::kUnix &&
           ioctl(place.connection.descriptor, SIOCOUTQ, &bytes) == 0 &&
           bytes > 0;
  });
}

void Connections::End(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  Place* place = Find(id);
  if (place != nullptr && place->connection.descriptor >= 0) {
    shutdown(place->connection.descriptor, SHUT_RDWR);
  }
}

void Connections::Abort(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  Place* place = Find(id);
  if (place != nullptr && place->connection.descriptor >= 0) {
    place->slot->aborted = id;
    AbortSocket(place->connection.descriptor);
  }
}

void Connections::BeWaryOf(const PeerAddress& peer) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(wary_,
                [now](const auto& entry) { return entry.second.until < now; });
  const auto wary =
      wary_.try_emplace(peer.Key(), Wary{{}, now + kBetweenWary}).first;
  wary->second.until = now + kWary;
}

std::optional<Connections::Refusal> Connections::RefusalOf(
    const PeerAddress& peer) const {
  const std::lock_guard lock(mutex_);
  return RefusalOfLocked(peer.Key(), std::chrono::steady_clock::now());
}

std::optional<Connections::Refusal> Connections::RefusalOfLocked(
    const std::string& key, std::chrono::steady_clock::time_point now) const {
  const auto wary = wary_.find(key);
  if (wary != wary_.end() && now <= wary->second.until &&
      now < wary->second.next) {
    return Refusal::kFlood;
  }
  const auto of_peer = of_peers_.find(key);
  const std::size_t has = of_peer == of_peers_.end() ? 0 : of_peer->second;
  if (has >= limits_.per_peer) return Refusal::kPerPeer;
  return std::nullopt;
}

void Connections::EndAll() {
  const std::lock_guard lock(mutex_);
  for (const Place& place : places_) {
    if (place.connection.descriptor >= 0) {
      shutdown(place.connection.descriptor, SHUT_RDWR);
    }
  }
}

void Connections::ForEach(
    const std::function<void(const Connection&)>& see) const {
  const std::lock_guard lock(mutex_);
  for (const Place& place : places_) {
    if (place.connection.descriptor >= 0) see(place.connection);
  }
}

std::size_t Connections::count() const {
  const std::lock_guard lock(mutex_);
  return places_.size() - free_.size();
}

}  // namespace torqued::server
