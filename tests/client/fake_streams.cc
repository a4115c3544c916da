#include "tests/client/fake_streams.h"

#include <algorithm>

#include "client/cpp/array_codec.h"

namespace torqued::client {
namespace {

Batch Decode(const v1::Array& array) {
  if (array.f64().empty()) return {};
  const auto rows =
      static_cast<Eigen::Index>(array.f64().size() / 8 / array.columns());
  Batch batch;
  DecodeRows(array, "input", 0, rows, rows, &batch);
  return batch;
}

}  // namespace

v1::EvaluateReply Answer(const v1::EvaluateChunk& chunk) {
  const Batch q = Decode(chunk.q()), v = Decode(chunk.v());
  const Eigen::Index rows = std::max(q.rows(), v.rows());
  Batch tau(rows, q.cols());
  for (Eigen::Index k = 0; k < rows; ++k) {
    tau.row(k) = q.row(q.rows() == 1 ? 0 : k);
    if (v.size() > 0) tau.row(k) += 1000 * v.row(v.rows() == 1 ? 0 : k);
  }
  v1::EvaluateReply reply;
  reply.set_rows(static_cast<std::uint64_t>(rows));
  EncodeRows(tau, 0, rows, reply.mutable_results()->mutable_tau());
  reply.mutable_timing()->mutable_compute()->set_nanos(600'000'000);
  return reply;
}

class FakeStreams::Stream final : public ChunkStream {
 public:
  Stream(FakeStreams& owner, int number) : owner_(owner), number_(number) {}

  bool Send(const v1::EvaluateRequest& request) override {
    const std::lock_guard lock(owner_.mutex_);
    if (ended_) return false;
    owner_.largest = std::max(owner_.largest, request.ByteSizeLong());
    if (request.has_start()) {
      owner_.starts.push_back(request.start());
      return true;
    }
    v1::EvaluateReply reply = Answer(request.chunk());
    if (owner_.fail) status_ = owner_.fail(number_, chunks_);
    if (owner_.admit && status_.ok()) {
      status_ = owner_.admit(static_cast<std::int64_t>(reply.rows()));
    }
    if (!status_.ok()) {
      ended_ = true;
    } else {
      if (chunks_ == 0) {
        reply.mutable_echo()->set_model("arm");
        reply.mutable_echo()->set_revision(kRevision);
      }
      reply.set_first_row(rows_);
      rows_ += reply.rows();
      owner_.chunk_rows.push_back(static_cast<std::int64_t>(reply.rows()));
      if (owner_.edit) owner_.edit(chunks_, &reply);
      owner_.largest = std::max(owner_.largest, reply.ByteSizeLong());
      ++chunks_;
      replies_.push_back(std::move(reply));
      owner_.most_unanswered =
          std::max(owner_.most_unanswered, static_cast<int>(replies_.size()));
    }
    changed_.notify_all();
    return !ended_;
  }
  void EndSending() override { End(grpc::Status::OK); }
  void Cancel() override {
    End({grpc::StatusCode::CANCELLED, "cancelled"});
    const std::lock_guard lock(owner_.mutex_);
    replies_.clear();
  }
  bool Receive(v1::EvaluateReply* reply) override {
    std::unique_lock lock(owner_.mutex_);
    changed_.wait(lock, [this] { return ended_ || !replies_.empty(); });
    if (replies_.empty()) return false;
    *reply = std::move(replies_.front());
    replies_.pop_front();
    return true;
  }
  grpc::Status End() override { return status_; }

 private:
  void End(const grpc::Status& status) {
    const std::lock_guard lock(owner_.mutex_);
    if (!ended_) status_ = status;
    ended_ = true;
    changed_.notify_all();
  }

  FakeStreams& owner_;
  const int number_;
  std::condition_variable changed_;
  // Guarded by the owner's mutex.
  std::deque<v1::EvaluateReply> replies_;
  grpc::Status status_;
  bool ended_ = false;
  int chunks_ = 0;
  std::uint64_t rows_ = 0;
};

FakeStreams::FakeStreams() = default;

OpenStream FakeStreams::Opener() {
  return [this, number = 0]() mutable {
    return std::make_unique<Stream>(*this, number++);
  };
}

}  // namespace torqued::client
