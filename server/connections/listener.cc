#include "server/connections/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

// Tags of events: this, then the sockets by their places, from 2^16 on the ids
// of connections.
constexpr std::uint64_t kWake = 0;
constexpr std::uint64_t kFirstConnection = std::uint64_t{1} << kSlotBits;
constexpr std::size_t kEvents = 64;
// One socket does not keep the others waiting.
constexpr int kAcceptsAtATime = 64;
constexpr std::chrono::milliseconds kMostBetweenSweeps{50};

/// Faults of the connection that was to be accepted: see accept(2).
bool IsOfTheConnection(int error) {
  for (const int one :
       {EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
        EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM}) {
    if (error == one) return true;
  }
  return false;
}

/// What there is no memory for has given its connection up.
template <class Work>
void Guarded(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    // There may be room soon.
    std::this_thread::sleep_for(Listener::kPause);
  }
}

}  // namespace

std::variant<std::unique_ptr<Listener>, std::string> Listener::Open(
    const Options& options, Connections& connections) {
  std::vector<ListeningPlace> places;
  for (const std::string& address : options.addresses) {
    auto listening = Listen(address);
    if (const auto* why = std::get_if<std::string>(&listening)) {
      return "cannot listen on " + address + (why->empty() ? "" : ": " + *why);
    }
    places.push_back(std::get<ListeningPlace>(std::move(listening)));
  }
  std::unique_ptr<Listener> listener(
      new Listener(std::move(places), options, connections));
  if (listener->epoll_ < 0 || listener->wake_ < 0) {
    return std::string("cannot watch connections: ") + std::strerror(errno);
  }
  return listener;
}

Listener::Listener(std::vector<ListeningPlace> places, const Options& options,
                   Connections& connections)
    : proxies_(options.proxies),
      header_deadline_(options.header_deadline),
      connections_(connections),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      places_(std::move(places)) {
  for (const ListeningPlace& place : places_) {
    for (const ListeningSocket& socket : place.sockets) {
      Door door{place.address};
      door.bound = socket.Address(&door.size);
      doors_.push_back(std::move(door));
    }
  }
}

Listener::~Listener() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    Wake();
    thread_.join();
  }
  CloseSockets();
  if (epoll_ >= 0) close(epoll_);
  if (wake_ >= 0) close(wake_);
}

std::vector<std::string> Listener::addresses() const {
  std::vector<std::string> addresses;
  for (const Door& door : doors_) {
    if (addresses.empty() || addresses.back() != door.address) {
      addresses.push_back(door.address);
    }
  }
  return addresses;
}

void Listener::Start() {
  Watch(wake_, kWake, EPOLLIN);
  WatchSockets();
  thread_ = std::thread([this] { Run(); });
}

void Listener::Wake() {
  const std::uint64_t one = 1;
  // Full: it will wake anyway.
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void Listener::Close() {
  {
    const std::lock_guard lock(mutex_);
    close_ = true;
  }
  if (!thread_.joinable()) return CloseSockets();
  Wake();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_; });
}

bool Listener::closing() {
  const std::lock_guard lock(mutex_);
  return close_ || stop_;
}

void Listener::CloseSockets() {
  places_.clear();
  while (!announced_.empty()) Drop(announced_.begin()->first);
  resume_.reset();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

void Listener::Run() {
  pthread_setname_np(pthread_self(), "connections");
  std::array<epoll_event, kEvents> events;
  while (true) {
    const int count =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                   MillisecondsUntilTask());
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      // Each by itself: the end of a connection is told once.
      Guarded([&] { OnEvent(event.data.u64, event.events); });
    }
    Guarded([this] { DoTasks(); });
    // Looked at once the call to wake up is taken: one that comes later wakes
    // this again.
    bool close = false;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      close = close_ && !closed_;
    }
    if (close) CloseSockets();
  }
}

bool Listener::Watch(int descriptor, std::uint64_t tag, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Listener::WatchSockets() {
  std::uint64_t tag = kWake;
  for (const ListeningPlace& place : places_) {
    for (const ListeningSocket& socket : place.sockets) {
      Watch(socket.descriptor(), ++tag, EPOLLIN);
    }
  }
}

void Listener::Pause(int error) {
  if (!resume_) {
    for (const ListeningPlace& place : places_) {
      for (const ListeningSocket& socket : place.sockets) {
        epoll_ctl(epoll_, EPOLL_CTL_DEL, socket.descriptor(), nullptr);
      }
    }
  }
  resume_ = Clock::now() + kPause;
  turned_away_.Count(NameOf(Connections::Refusal::kDescriptors),
                     std::strerror(error));
}

void Listener::OnEvent(std::uint64_t tag, std::uint32_t events) {
  if (tag == kWake) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
  } else if (tag >= kFirstConnection) {
    const auto announced = announced_.find(tag);
    if (announced != announced_.end()) {
      ReadHeader(tag, announced->second);
    } else if ((events & EPOLLHUP) != 0) {
      HangUp(tag);
    }
  } else {
    for (const ListeningPlace& place : places_) {
      if (tag <= place.sockets.size()) return Accept(place.sockets[tag - 1]);
      tag -= place.sockets.size();
    }
  }
}

int Listener::MillisecondsUntilTask() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&first](const Clock::time_point& time) {
    if (!first || time < *first) first = time;
  };
  if (resume_) consider(*resume_);
  if (sweep_) consider(*sweep_);
  if (tell_) consider(*tell_);
  for (const auto& [id, announced] : announced_) consider(announced.deadline);
  if (!first) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void Listener::DoTasks() {
  const auto now = Clock::now();
  if (resume_ && *resume_ <= now) {
    resume_.reset();
    WatchSockets();
  }
  if (sweep_ && *sweep_ <= now) Sweep();
  std::vector<ConnectionId> late;
  for (const auto& [id, announced] : announced_) {
    if (announced.deadline <= now) late.push_back(id);
  }
  for (const ConnectionId id : late) {
    turned_away_.Count("proxy-header",
                       announced_.at(id).proxy.Text() + ": it came too late");
    Drop(id);
  }
  tell_ = turned_away_.TellLate();
}

// --- Connections that come ---------------------------------------------------

void Listener::Accept(const ListeningSocket& socket) {
  for (int i = 0; i < kAcceptsAtATime && !resume_; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    Descriptor descriptor(accept4(socket.descriptor(),
                                  reinterpret_cast<sockaddr*>(&address), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (descriptor.number() >= 0) {
      Take(std::move(descriptor), address, size);
    } else if (errno == EAGAIN) {
      return;
    } else if (!IsOfTheConnection(errno)) {
      return Pause(errno);
    }
  }
}

std::variant<ConnectionId, Connections::Refusal> Listener::Reserve() {
  auto reserved = connections_.Reserve();
  const auto none = [&reserved] {
    return !std::holds_alternative<ConnectionId>(reserved);
  };
  if (none() && sweep_) {
    Sweep();
    reserved = connections_.Reserve();
  }
  // A proxy that says nothing keeps nobody out.
  if (none() && !announced_.empty()) {
    const auto& [oldest, announced] = *announced_.begin();
    turned_away_.Count("proxy-header",
                       announced.proxy.Text() + ": others came first");
    Drop(oldest);
    reserved = connections_.Reserve();
  }
  return reserved;
}

void Listener::Take(Descriptor descriptor, const sockaddr_storage& address,
                    socklen_t size) {
  if (IsProbe(address, size)) return;
  const auto peer = PeerAddress::Of(descriptor.number(), address);
  if (!peer) return;
  if (peer->kind != PeerAddress::Kind::kUnix) {
    const int on = 1;
    setsockopt(descriptor.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const bool proxied = proxies_.Contain(*peer);
  if (!proxied) {
    // Before it takes the place of another.
    auto refusal = connections_.RefusalOf(*peer);
    if (refusal && sweep_) {
      Sweep();
      refusal = connections_.RefusalOf(*peer);
    }
    if (refusal) return turned_away_.Count(NameOf(*refusal), peer->Text());
  }
  const auto reserved = Reserve();
  if (const auto* refusal = std::get_if<Connections::Refusal>(&reserved)) {
    return turned_away_.Count(NameOf(*refusal), peer->Text());
  }
  const ConnectionId id = std::get<ConnectionId>(reserved);
  try {
    if (!proxied) {
      return HandOver(id, std::move(descriptor), *peer, /*proxied=*/false);
    }
    const int number = descriptor.number();
    announced_.emplace(id, Announced{std::move(descriptor), *peer, "",
                                     Clock::now() + header_deadline_});
    if (!Watch(number, id, EPOLLIN)) Drop(id);
  } catch (const std::bad_alloc&) {
    connections_.Release(id);
    throw;
  }
}

void Listener::HandOver(ConnectionId id, Descriptor descriptor,
                        const PeerAddress& peer, bool proxied) {
  const auto opened = [&] {
    try {
      return connections_.Open(id, std::move(descriptor), peer, proxied);
    } catch (const std::bad_alloc&) {
      connections_.Release(id);
      throw;
    }
  }();
  if (const auto* refusal = std::get_if<Connections::Refusal>(&opened)) {
    return turned_away_.Count(NameOf(*refusal), peer.Text());
  }
  // At the edge: it tells once that nothing can go either way any more.
  if (!Watch(std::get<int>(opened), id, EPOLLET)) {
    connections_.End(id);
    HangUp(id);
  }
}

void Listener::ReadHeader(ConnectionId id, Announced& announced) {
  std::string& header = announced.header;
  while (true) {
    const auto read = ReadProxyHeader(header);
    if (const auto* none = std::get_if<NoProxyHeader>(&read)) {
      turned_away_.Count("proxy-header", announced.proxy.Text() + ": " +
                                             std::string(none->why));
      return Drop(id);
    }
    if (const auto* whole = std::get_if<ProxyHeader>(&read)) {
      Descriptor descriptor = std::move(announced.descriptor);
      const PeerAddress peer = whole->peer.value_or(announced.proxy);
      const bool proxied = whole->peer.has_value();
      epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor.number(), nullptr);
      announced_.erase(id);
      return HandOver(id, std::move(descriptor), peer, proxied);
    }
    // Not a byte beyond the header: those are gRPC's.
    const std::size_t had = header.size();
    header.resize(std::get<ProxyHeaderNeeds>(read).bytes);
    const ssize_t got = recv(announced.descriptor.number(), header.data() + had,
                             header.size() - had, 0);
    header.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0) continue;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // One that says nothing at all is a proxy that looks whether we listen.
    if (!header.empty()) {
      turned_away_.Count("proxy-header",
                         announced.proxy.Text() + ": it ended early");
    }
    return Drop(id);
  }
}

void Listener::Drop(ConnectionId id) {
  announced_.erase(id);
  connections_.Release(id);
}

// --- Connections that go -----------------------------------------------------

void Listener::HangUp(ConnectionId id) {
  connections_.OnHangUp(id);
  between_sweeps_ = std::chrono::milliseconds(1);
  sweep_ = Clock::now() + between_sweeps_;
}

void Listener::Sweep() {
  if (connections_.Sweep() == 0) {
    sweep_.reset();
    return;
  }
  // A call of theirs still works.
  sweep_ = Clock::now() + between_sweeps_;
  between_sweeps_ = std::min(2 * between_sweeps_, kMostBetweenSweeps);
}

}  // namespace torqued::server
