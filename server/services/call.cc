#include "server/services/call.h"

#include <new>

namespace torqued::server {
namespace {

constexpr std::size_t kMaxLoggedText = 512;
constexpr std::size_t kMaxLoggedModel = 160;

/// Empty: the client did not send it.
std::string_view MetadataOf(const grpc::CallbackServerContext& call,
                            const char* key) {
  const auto& metadata = call.client_metadata();
  const auto sent = metadata.find(key);
  if (sent == metadata.end()) return {};
  return {sent->second.data(), sent->second.size()};
}

constexpr char kTokenKey[] = "authorization";

/// The client's, by its token, its certificate or its Unix socket.
const Grant* GrantOf(const grpc::CallbackServerContext& call,
                     const Rights* rights) {
  if (rights == nullptr) return nullptr;
  if (const std::string_view token = MetadataOf(call, kTokenKey);
      !token.empty()) {
    constexpr std::string_view kBearer = "Bearer ";
    if (!token.starts_with(kBearer)) return nullptr;
    return rights->OfToken(token.substr(kBearer.size()));
  }
  // gRPC has these names only of certificates that it has verified.
  const auto auth = call.auth_context();
  for (const char* name : {"peer_uri", "peer_dns"}) {
    for (const auto& value : auth->FindPropertyValues(name)) {
      const Grant* grant = rights->OfName({value.data(), value.size()});
      if (grant != nullptr) return grant;
    }
  }
  return call.peer().starts_with("unix:") ? rights->OfUnix() : nullptr;
}

/// `peer`: gRPC's text, "ipv4:10.0.0.7:5012", "ipv6:%5B::1%5D:5012" or "unix:".
/// All connections of a client with a grant are one.
PeerId PeerIdOf(const std::string& peer, const Grant* grant) {
  if (peer.starts_with("unix:")) return kNoPeer;
  return std::hash<std::string>()(grant == nullptr ? peer
                                                   : "client:" + grant->name);
}

/// Worth an operator's attention, unlike a caller's mistake.
bool IsGrave(v1::Reason reason) {
  const grpc::StatusCode code = CodeOf(reason);
  return code == grpc::StatusCode::INTERNAL ||
         code == grpc::StatusCode::RESOURCE_EXHAUSTED ||
         (code == grpc::StatusCode::UNAVAILABLE && reason != v1::DRAINING) ||
         reason == v1::MODEL_BROKEN;
}

}  // namespace

CallRecord::CallRecord(grpc::CallbackServerContext* call,
                       ServiceContext& context, std::string_view method)
    : context_(context),
      call_(call),
      peer_text_(call->peer()),
      method_(method),
      rights_(context.rights == nullptr ? nullptr : context.rights->current()),
      grant_(GrantOf(*call, rights_.get())),
      request_id_(RequestIdFrom(MetadataOf(*call, kRequestIdKey))),
      trace_(TraceFrom(MetadataOf(*call, kTraceKey))),
      arrival_(std::chrono::steady_clock::now()),
      peer_(PeerIdOf(peer_text_, grant_)),
      cancellation_(std::make_shared<CancellationToken>()),
      room_(context.admission, peer_) {
  call_->AddTrailingMetadata(kRequestIdKey, request_id_);
  // Last: where there is no memory for the call, it was never in flight.
  entered_ = context_.gate.Enter();
}

CallRecord::~CallRecord() {
  room_.GiveBack();
  if (entered_) context_.gate.Leave();
}

std::optional<Error> CallRecord::Refusal() const {
  if (!entered_) return Draining();
  if (context_.read_only && ChangesModels(method_)) {
    return MakeError(v1::READ_ONLY,
                     "The server takes no registrations and deletions "
                     "(--read-only).");
  }
  if (rights_ == nullptr) return std::nullopt;
  if (grant_ == nullptr) {
    return MakeError(v1::UNAUTHENTICATED,
                     MetadataOf(*call_, kTokenKey).empty()
                         ? "The call needs a token (metadata authorization: "
                           "Bearer TOKEN) or a certificate with rights."
                         : "The token is unknown.");
  }
  const Role needed = RoleFor(method_);
  if (needed != Role::kNone && grant_->role >= needed) return std::nullopt;
  const std::string role(NameOf(needed));
  return MakeError(v1::PERMISSION_DENIED,
                   std::string(method_) + " needs the role " + role + "; " +
                       grant_->name + " has " +
                       std::string(NameOf(grant_->role)) + ".",
                   {{"client", grant_->name}, {"role", role}});
}

std::optional<Error> CallRecord::SetModel(std::string_view model) {
  model_ = CleanText(model, kMaxLoggedModel);
  if (grant_ == nullptr || grant_->Covers(model)) return std::nullopt;
  return MakeError(v1::PERMISSION_DENIED,
                   grant_->name + " may use models by names that match " +
                       grant_->models + ".",
                   {{"client", grant_->name}, {"models", grant_->models}});
}

grpc::Status CallRecord::End(std::optional<Error> error,
                             std::string_view change) {
  grpc::StatusCode code = error ? CodeOf(error->reason) : grpc::StatusCode::OK;
  try {
    if (cancelled() || call_->IsCancelled()) {
      const bool late = call_->deadline() <= std::chrono::system_clock::now();
      code = late ? grpc::StatusCode::DEADLINE_EXCEEDED
                  : grpc::StatusCode::CANCELLED;
      CountCall(method_, code, v1::REASON_UNSPECIFIED, age());
      LogEnd(LogLevel::kInfo, "call failed",
             late ? "DEADLINE_EXCEEDED" : "CANCELLED", {});
      return {code, late ? "The deadline passed." : "The call is cancelled."};
    }
    if (!error) {
      CountCall(method_, code, v1::REASON_UNSPECIFIED, age());
      LogEnd(change.empty() ? LogLevel::kDebug : LogLevel::kInfo, "call done",
             "OK", change);
      return {};
    }
    CountCall(method_, code, error->reason, age());
    if (!model_.empty()) error->metadata.emplace_back("model", model_);
    if (grant_ == nullptr || grant_->Covers("")) error->message += error->hint;
    if (error->message.empty()) {
      error->message =
          "The server ran out of memory or hit a fault of its own.";
    }
    grpc::Status status = ToStatus(*error);
    LogEnd(IsGrave(error->reason) ? LogLevel::kWarn : LogLevel::kInfo,
           "call failed", v1::Reason_Name(error->reason),
           status.error_message());
    return status;
  } catch (...) {
    // No room for more words: an end without any is better than none.
    return {code, ""};
  }
}

void CallRecord::LogEnd(LogLevel level, std::string_view message,
                        std::string_view outcome, std::string_view detail) {
  if (!LogEnabled(level)) return;
  const std::string peer = CleanText(peer_text_, kMaxLoggedText);
  const double duration =
      std::chrono::duration<double, std::milli>(age()).count();
  LogField chunks{"chunks", ""}, rows{"rows", ""};  // left out
  if (volume_) {
    chunks.value = volume_->chunks;
    rows.value = volume_->rows;
  }
  Log(level, message,
      {{"method", method_},
       {"outcome", outcome},
       {"model", model_},
       {"peer", peer},
       {"client", grant_ == nullptr ? std::string_view() : grant_->name},
       {"request_id", request_id_},
       {"trace_id", trace_.trace_id},
       {"parent_id", trace_.parent_id},
       {"duration_ms", duration},
       chunks,
       rows,
       {"detail", detail}});
}

StreamCall* StreamCall::Start(const std::shared_ptr<StreamCall>& call) {
  call->self_ = call;
  auto refusal = call->Refusal();
  if (!refusal) refusal = call->room_.Grow(0, 1);
  // Last: from then on the gate may call back.
  if (!refusal && !call->context_.gate.Listen(call)) refusal = Draining();
  if (refusal) {
    call->finished_ = true;
    call->Finish(call->End(std::move(refusal)));
    return call.get();
  }
  call->CheckWrite();
  call->Advance(Lock(call->mutex_));
  return call.get();
}

void StreamCall::OnReadDone(bool ok) {
  {
    Lock lock(mutex_);
    reading_ = false;
    if (!ok) input_ended_ = true;
    // From here on a message is accepted and will be answered.
    handling_ = ok && !draining_ && !ending_;
    if (!handling_) return Advance(std::move(lock));
  }
  OnMessage();
}

std::optional<Error> StreamCall::ProblemOfKind(bool first, bool has_start,
                                               bool has_part,
                                               const std::string& part) {
  if (first == has_start && first != has_part) return std::nullopt;
  return FieldError(
      v1::INVALID_FIELD, first != has_start ? "start" : part,
      "The first message is the start, each later one has " + part + ".");
}

void StreamCall::FindModel(const std::string& reference) {
  CallRecord::FindModel(reference, [this](OrError<ModelEntry> found) {
    Handled(OrFault([&]() -> std::optional<Error> {
      if (auto* error = std::get_if<Error>(&found)) {
        return InMessage(std::move(*error), "start.");
      }
      auto error = OnModel(std::get<ModelEntry>(found));
      started_ = !error;
      return error;
    }));
  });
}

void StreamCall::Handled(std::optional<Error> error) {
  Lock lock(mutex_);
  handling_ = false;
  if (error) EndWith(*std::move(error));
  Advance(std::move(lock));
}

void StreamCall::OnWriteDone(bool ok) {
  Lock lock(mutex_);
  writing_ = false;
  ok ? OnWritten() : Cancel();
  Advance(std::move(lock));
}

void StreamCall::OnDone() {
  {
    const Lock lock(mutex_);
    done_ = true;
    write_check_.reset();
  }
  context_.gate.Forget(this);
  // Only now gRPC tells that a message over the limit has ended the input.
  if (succeeded_) End({});
  const std::shared_ptr<StreamCall> last = std::move(self_);
}

void StreamCall::Advance(Lock lock) {
  while (!finished_) {
    Steps steps;
    try {
      if (cancelled()) ending_ = true;
      if (input_ended_ && !started_ && !handling_) {
        EndWith(FieldError(v1::INVALID_FIELD, "start",
                           "The stream ended before its start."));
      }
      if (!ending_) steps = NextSteps();
    } catch (...) {
      EndWith(FaultOfTheServer());
    }
    if (ending_) {
      OnEnding();
      // Each of these comes here again.
      if (writing_ || handling_ || starting_ > 0 || working_ > 0) return;
      finished_ = true;
      write_begun_ = std::chrono::steady_clock::now();
      lock.unlock();
      OnEnd(error_ ? &*error_ : nullptr);
      succeeded_ = !error_ && !cancelled();
      const grpc::Status status =
          succeeded_ ? grpc::Status::OK : End(std::move(error_));
      // Who hears of the end finds room again.
      room_.GiveBack();
      return Finish(status);
    }
    if (steps.read == nullptr && steps.write == nullptr && !steps.work) return;
    reading_ = reading_ || steps.read != nullptr;
    if (steps.write != nullptr) {
      writing_ = true;
      write_begun_ = std::chrono::steady_clock::now();
    }
    // gRPC may send here and now: not under the lock, but before the end.
    ++starting_;
    lock.unlock();
    if (steps.write != nullptr) StartWrite(steps.write);
    if (steps.read != nullptr) StartRead(steps.read);
    if (steps.work) Work();
    lock.lock();
    --starting_;
  }
}

void StreamCall::CheckWrite() {
  const Lock lock(mutex_);
  if (done_) return;
  std::chrono::nanoseconds left = context_.write_timeout;
  if (writing_ || finished_) {
    left -= std::chrono::steady_clock::now() - write_begun_;
  }
  try {
    if (left.count() > 0) {
      write_check_.emplace();  // gRPC may have the former one in use
      return write_check_->Set(
          std::chrono::system_clock::now() + left,
          [weak = weak_from_this()](bool due) {
            if (const auto call = due ? weak.lock() : nullptr) {
              call->CheckWrite();
            }
          });
    }
    Log(LogLevel::kWarn, "message not taken",
        {{"method", method_},
         {"peer", CleanText(peer_text_, kMaxLoggedText)},
         {"seconds",
          std::chrono::duration<double>(context_.write_timeout).count()}});
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // There may be no line then.
  }
  if (left.count() <= 0) call_->TryCancel();
}

}  // namespace torqued::server
