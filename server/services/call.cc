#include "server/services/call.h"

#include <utility>

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

Error FaultOfTheServer() noexcept {
  Error error;
  error.reason = v1::INTERNAL_ERROR;
  try {
    error.message = "The server ran out of memory or hit a fault of its own.";
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // The reason will do.
  }
  return error;
}

Error Draining() {
  return MakeError(v1::DRAINING, "The server is shutting down; go elsewhere.");
}

CallRecord::CallRecord(grpc::CallbackServerContext* call,
                       ServiceContext& context, std::string_view method)
    : context_(context),
      call_(call),
      rights_(context.rights == nullptr ? nullptr : context.rights->current()),
      grant_(GrantOf(*call, rights_.get())),
      peer_text_(call->peer()),
      method_(method),
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
  if (MayList(model)) return std::nullopt;
  return MakeError(v1::PERMISSION_DENIED,
                   grant_->name + " may use models by names that match " +
                       grant_->models + ".",
                   {{"client", grant_->name}, {"models", grant_->models}});
}

grpc::Status CallRecord::Success(std::string_view change) {
  CountCall(method_, grpc::StatusCode::OK, v1::REASON_UNSPECIFIED, age());
  const LogLevel level = change.empty() ? LogLevel::kDebug : LogLevel::kInfo;
  LogEnd(level, "call done", "OK", change);
  return grpc::Status::OK;
}

grpc::Status CallRecord::Failure(Error error) {
  grpc::Status status(grpc::StatusCode::INTERNAL, "");
  try {
    if (cancelled()) return Abandonment();
    CountCall(method_, CodeOf(error.reason), error.reason, age());
    if (!model_.empty()) error.metadata.emplace_back("model", model_);
    status = ToStatus(error);
    LogEnd(IsGrave(error.reason) ? LogLevel::kWarn : LogLevel::kInfo,
           "call failed", v1::Reason_Name(error.reason),
           status.error_message());
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // No room for more words: an end without any is better than none.
  }
  return status;
}

grpc::Status CallRecord::Abandonment() {
  const bool late = call_->deadline() <= std::chrono::system_clock::now();
  grpc::Status status(
      late ? grpc::StatusCode::DEADLINE_EXCEEDED : grpc::StatusCode::CANCELLED,
      late ? "The deadline passed." : "The call is cancelled.");
  CountCall(method_, status.error_code(), v1::REASON_UNSPECIFIED, age());
  LogEnd(LogLevel::kInfo, "call failed",
         late ? "DEADLINE_EXCEEDED" : "CANCELLED", status.error_message());
  return status;
}

void CallRecord::LogNotTaken() const {
  Log(LogLevel::kWarn, "message not taken",
      {{"method", method_},
       {"peer", CleanText(peer_text_, kMaxLoggedText)},
       {"seconds",
        std::chrono::duration<double>(context_.write_timeout).count()}});
}

void CallRecord::LogEnd(LogLevel level, std::string_view message,
                        std::string_view outcome, std::string_view detail) {
  if (!LogEnabled(level)) return;
  const std::string peer = CleanText(peer_text_, kMaxLoggedText);
  const LogField method{"method", method_}, result{"outcome", outcome},
      model{"model", model_}, from{"peer", peer},
      client{"client", grant_ == nullptr ? std::string_view() : grant_->name},
      request_id{"request_id", request_id_}, trace{"trace_id", trace_.trace_id},
      parent{"parent_id", trace_.parent_id}, said{"detail", detail},
      duration{"duration_ms",
               std::chrono::duration<double, std::milli>(age()).count()};
  if (!volume_) {
    return Log(level, message,
               {method, result, model, from, client, request_id, trace, parent,
                duration, said});
  }
  const LogField chunks{"chunks", volume_->first},
      rows{"rows", volume_->second};
  Log(level, message,
      {method, result, model, from, client, request_id, trace, parent, duration,
       chunks, rows, said});
}

}  // namespace torqued::server
