#include "server/standard/health_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "server/errors/status.h"
#include "server/services/unary_call.h"
#include "server/standard/standard_request.h"

namespace torqued::server {
namespace {

using Reply = grpc::health::v1::HealthCheckResponse;
using Request = grpc::health::v1::HealthCheckRequest;
using Status = HealthService::Status;

Status StatusOf(bool serving) {
  return serving ? Reply::SERVING : Reply::NOT_SERVING;
}

void Serialize(Status status, grpc::ByteBuffer* bytes) {
  Reply reply;
  reply.set_status(status);
  SerializeMessage(reply, bytes);
}

/// Lives until gRPC is through with the call.
class WatchCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                        public HealthService::Watcher {
 public:
  WatchCall(HealthService& health, std::string service)
      : health_(health), service_(std::move(service)) {}

  static WatchCall* Start(const std::shared_ptr<WatchCall>& call) {
    call->self_ = call;
    call->health_.Remember(call->service_, call);
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
    StartWrite(&bytes_);
  }

 private:
  void BeginToWrite() {
    writing_ = true;
    told_ = status_;
    Serialize(*told_, &bytes_);
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
    if (more) return StartWrite(&bytes_);
    Finish({grpc::StatusCode::CANCELLED, "The call is cancelled."});
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(ended_, true) || writing_) return;
    }
    Finish({grpc::StatusCode::CANCELLED, "The call is cancelled."});
  }

  void OnDone() override {
    health_.Forget(service_, this);
    const std::shared_ptr<WatchCall> last = std::move(self_);
  }

  HealthService& health_;
  const std::string service_;
  std::shared_ptr<WatchCall> self_;

  std::mutex mutex_;  // guards what follows
  std::uint64_t number_ = 0;
  Status status_ = Reply::UNKNOWN;
  std::optional<Status> told_;
  bool writing_ = false;
  bool ended_ = false;
  grpc::ByteBuffer bytes_;  // of whoever writes
};

/// A call that ends at once.
class EndedWatch final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit EndedWatch(const grpc::Status& status) { Finish(status); }

 private:
  void OnDone() override { delete this; }
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

void HealthService::Remember(const std::string& service,
                             const std::shared_ptr<Watcher>& watcher) {
  std::vector<News> news;
  {
    const std::lock_guard lock(mutex_);
    watchers_.emplace(service, watcher);
    const auto known = statuses_.find(service);
    news.push_back(
        {watcher,
         known == statuses_.end() ? Reply::SERVICE_UNKNOWN : known->second,
         changes_});
  }
  Tell(news);
}

void HealthService::Forget(const std::string& service, const Watcher* watcher) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = watchers_.equal_range(service);
  const auto found = std::find_if(begin, end, [watcher](const auto& known) {
    return known.second.lock().get() == watcher;
  });
  if (found != end) watchers_.erase(found);
}

grpc::ServerUnaryReactor* HealthService::Check(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* reply) {
  grpc::ServerUnaryReactor* reactor = call->DefaultReactor();
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
      Serialize(known->second, reply);
    }
  }
  reactor->Finish(status);
  return reactor;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* HealthService::Watch(
    grpc::CallbackServerContext* /*call*/, const grpc::ByteBuffer* request) {
  Request asked;
  if (const auto error = ParseStandard(UnaryCall::OwnBytes(request), &asked)) {
    return new EndedWatch(ToStatus(*error));
  }
  return WatchCall::Start(std::make_shared<WatchCall>(*this, asked.service()));
}

std::unique_ptr<grpc::HealthCheckServiceInterface> HealthService::ForServer() {
  return std::make_unique<Forwarding>(*this);
}

}  // namespace torqued::server
