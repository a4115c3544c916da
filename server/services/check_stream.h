// A call of torqued.v1.Trajectories.CheckTrajectory: samples in, a verdict out.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "server/services/call_record.h"
#include "server/services/service_context.h"
#include "server/services/trajectory_samples.h"
#include "server/wire/trajectory_messages.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Samples are read one message after the other and kept. The check runs on the
/// engine's pool, some thousand samples at a time, between the chunks of other
/// calls; its progress is told whenever the client takes it. The tables that
/// were asked for follow the verdict.
///
/// Lives until gRPC is through with the call.
class CheckStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public CallGate::Listener,
      public std::enable_shared_from_this<CheckStream> {
 public:
  static grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      grpc::CallbackServerContext* call, ServiceContext& context);

 private:
  using Lock = std::unique_lock<std::mutex>;

  enum class Phase : std::uint8_t { kReading, kChecking, kAnswering };
  enum class Ending : std::uint8_t { kSucceed, kFail, kAbandon };

  CheckStream(grpc::CallbackServerContext* call, ServiceContext& context)
      : call_(call),
        context_(context),
        record_(call, context.gate, "CheckTrajectory") {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void OnClose() override;

  std::optional<Error> Enter();

  // A message, on a gRPC thread; LookUp and OnModel also on one of the pool.
  /// Whether the message is handled; else somebody else goes on with it.
  bool OnMessage();
  bool OnStart(v1::CheckTrajectoryStart&& start);
  void LookUp();
  std::optional<Error> OnModel(const ModelEntry& entry);
  std::optional<Error> OnSamples(const v1::TrajectorySamples& samples);
  void Handled(std::optional<Error> error);

  // The check, on a thread of the pool.
  void Step();
  std::optional<Error> TakeStep();
  std::optional<Error> BeginCheck();
  TrajectoryTables RoomForTables();

  // Replies.
  /// False: there is nothing to say now.
  bool NextReply();
  std::optional<Error> FillRows(v1::TrajectoryRows* rows);

  /// Starts whatever can be started now, or ends the call, after which nothing
  /// of this may be touched. Everything that changes the state calls it.
  void Advance(Lock lock);
  void Conclude();
  void EndWith(Error error);
  grpc::Status EndStatus();

  grpc::CallbackServerContext* call_;
  ServiceContext& context_;
  CallRecord record_;
  std::shared_ptr<CheckStream> self_;  // until gRPC is through
  Admission::Ticket open_;             // until its end is told
  Admission::Ticket looking_up_;

  // Of whoever handles a message, then of the check, then of the replies.
  v1::CheckTrajectoryRequest request_;
  v1::CheckTrajectoryStart start_;
  std::shared_ptr<const Model> model_;
  std::string model_name_, revision_;
  std::optional<DecodedCheck> decoded_;
  std::optional<TrajectorySamples> samples_;
  std::optional<TrajectoryCheck> check_;
  std::vector<std::vector<double>> tables_;  // as decoded_->tables
  v1::CheckTrajectoryReply verdict_;
  std::int64_t rows_sent_ = 0;

  std::mutex mutex_;  // guards what follows
  Phase phase_ = Phase::kReading;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  bool reading_ = false;
  bool writing_ = false;
  bool handling_ = false;  // a message that has been read
  bool stepping_ = false;  // on the pool
  int starting_ = 0;       // threads that are about to call gRPC
  bool input_ended_ = false;
  bool draining_ = false;
  std::int64_t done_ = 0;  // samples checked
  std::int64_t told_ = 0;  // of these
  bool verdict_sent_ = false;
  std::optional<Ending> ending_;
  Error error_;  // of Ending::kFail
  bool finished_ = false;
};

}  // namespace torqued::server
