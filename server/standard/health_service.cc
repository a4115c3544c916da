#include "server/standard/health_service.h"

#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "server/errors/status.h"
#include "server/services/unary_call.h"
#include "server/standard/served_call.h"
#include "server/standard/standard_request.h"

namespace torqued::server {
namespace {

using Reply = grpc::health::v1::HealthCheckResponse;
using Request = grpc::health::v1::HealthCheckRequest;
using Status = HealthService::Status;

Status StatusOf(bool serving) {
  return serving ? Reply::SERVING : Reply::NOT_SERVING;
}

/// Made once: what tells of a change needs no memory.
const grpc::ByteBuffer& BytesOf(Status status) {
  static const auto* const replies = [] {
    auto* made = new std::map<Status, grpc::ByteBuffer>;
    for (const Status one : {Reply::UNKNOWN, Reply::SERVING, Reply::NOT_SERVING,
                             Reply::SERVICE_UNKNOWN}) {
      Reply reply;
      reply.set_status(one);
      SerializeMessage(reply, &(*made)[one]);
    }
    return made;
  }();
  return replies->at(status);
}

class CheckCall final : public grpc::ServerUnaryReactor {
 public:
  CheckCall(CallGate& gate, const grpc::ServerContextBase& call)
      : served_(gate, call) {}

 private:
  void OnCancel() override { served_.Leave(); }
  void OnDone() override { delete this; }
  bool InternalInlineable() override { return true; }  // as in UnaryCall

  ServedCall served_;
};

/// Lives until gRPC is through with the call.
class WatchCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                        public HealthService::Watcher {
 public:
  WatchCall(HealthService& health, CallGate& gate,
            const grpc::ServerContextBase& call, Admission::Ticket room)
      : health_(health), served_(gate, call), room_(std::move(room)) {}

  static WatchCall* Start(const std::shared_ptr<WatchCall>& call,
                          const std::string& service) {
    call->place_ = call->health_.Remember(service, call);
    call->self_ = call;
    return call.get();
  }

  void Tell(Status status, std::uint64_t number) override {
    {
      const std::lock_guard lock(mutex_);
      if (number < number_) return;
      number_ = number;
      status_ = status;
      if (writing_ || ended_ || status_ == told_) return;
      BeginToWrite();
    }
    // Not under the lock; what `writing_` says keeps the call from its end.
    StartWrite(&BytesOf(*told_));
  }

 private:
  void BeginToWrite() {
    writing_ = true;
    told_ = status_;
  }

  void OnWriteDone(bool ok) override {
    bool more = false;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      ended_ = ended_ || !ok;
      if (!ended_) {
        if (status_ == told_) return;
        BeginToWrite();
        more = true;
      }
    }
    if (more) return StartWrite(&BytesOf(*told_));
    Finish({grpc::StatusCode::CANCELLED, "The call is cancelled."});
  }

  void OnCancel() override {
    served_.Leave();
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(ended_, true) || writing_) return;
    }
    Finish({grpc::StatusCode::CANCELLED, "The call is cancelled."});
  }

  void OnDone() override {
    health_.Forget(place_);
    const std::shared_ptr<WatchCall> last = std::move(self_);
  }

  HealthService& health_;
  ServedCall served_;
  const Admission::Ticket room_;
  HealthService::Place place_;
  std::shared_ptr<WatchCall> self_;

  std::mutex mutex_;  // guards what follows
  std::uint64_t number_ = 0;
  Status status_ = Reply::UNKNOWN;
  std::optional<Status> told_;  // of whoever writes
  bool writing_ = false;
  bool ended_ = false;
};

/// A call that ends at once.
class EndedWatch final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  EndedWatch(CallGate& gate, const grpc::ServerContextBase& call,
             const grpc::Status& status)
      : served_(gate, call) {
    Finish(status);
  }

 private:
  void OnDone() override { delete this; }

  ServedCall served_;
};

class Forwarding final : public grpc::HealthCheckServiceInterface {
 public:
  explicit Forwarding(HealthService& health) : health_(health) {}

  void SetServingStatus(const std::string& service, bool serving) override {
    health_.Set(service, serving);
  }
  void SetServingStatus(bool serving) override { health_.SetAll(serving); }

 private:
  HealthService& health_;
};

}  // namespace

void HealthService::Set(const std::string& service, bool serving) {
  std::vector<News> news;
  {
    const std::lock_guard lock(mutex_);
    Change(service, serving, &news);
  }
  Tell(news);
}

void HealthService::SetAll(bool serving) {
  std::vector<News> news;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [service, unused] : statuses_) {
      Change(service, serving, &news);
    }
  }
  Tell(news);
}

void HealthService::Change(const std::string& service, bool serving,
                           std::vector<News>* news) {
  statuses_[service] = StatusOf(serving);
  ++changes_;
  const auto [begin, end] = watchers_.equal_range(service);
  for (auto it = begin; it != end; ++it) {
    if (auto watcher = it->second.lock()) {
      news->push_back({std::move(watcher), StatusOf(serving), changes_});
    }
  }
}

void HealthService::Tell(const std::vector<News>& news) {
  for (const News& one : news) one.watcher->Tell(one.status, one.number);
}

HealthService::Place HealthService::Remember(
    const std::string& service, const std::shared_ptr<Watcher>& watcher) {
  std::vector<News> news;
  Place place;
  {
    const std::lock_guard lock(mutex_);
    const auto known = statuses_.find(service);
    news.push_back(
        {watcher,
         known == statuses_.end() ? Reply::SERVICE_UNKNOWN : known->second,
         changes_});
    place = watchers_.emplace(service, watcher);
  }
  Tell(news);
  return place;
}

void HealthService::Forget(Place place) {
  const std::lock_guard lock(mutex_);
  watchers_.erase(place);
}

grpc::ServerUnaryReactor* HealthService::Check(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  auto reactor = std::make_unique<CheckCall>(context_.gate, *call);
  Request asked;
  grpc::Status status;
  if (const auto error = ParseStandard(UnaryCall::OwnBytes(request), &asked)) {
    status = ToStatus(*error);
  } else {
    const std::lock_guard lock(mutex_);
    const auto known = statuses_.find(asked.service());
    if (known == statuses_.end()) {
      status = {grpc::StatusCode::NOT_FOUND, "The service is not known."};
    } else {
      *reply = BytesOf(known->second);
    }
  }
  reactor->Finish(status);
  return reactor.release();  // which gRPC is through with once OnDone is called
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* HealthService::Watch(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) {
  const auto refused = [&](const Error& error) {
    return new EndedWatch(context_.gate, *call, ToStatus(error));
  };
  Request asked;
  if (const auto error = ParseStandard(UnaryCall::OwnBytes(request), &asked)) {
    return refused(*error);
  }
  const auto name = static_cast<std::int64_t>(asked.service().size());
  auto admitted =
      context_.admission.Admit({.bytes = kWatchBytes + name, .streams = 1},
                               Admission::Reach::kLimit, PeerIdOf(*call));
  if (const auto* error = std::get_if<Error>(&admitted)) return refused(*error);
  return WatchCall::Start(std::make_shared<WatchCall>(
                              *this, context_.gate, *call,
                              std::get<Admission::Ticket>(std::move(admitted))),
                          asked.service());
}

std::unique_ptr<grpc::HealthCheckServiceInterface> HealthService::ForServer() {
  return std::make_unique<Forwarding>(*this);
}

}  // namespace torqued::server
