#include "server/services/call_record.h"

#include <utility>

#include "server/observability/logging.h"
#include "server/observability/metrics.h"

namespace torqued::server {
namespace {

constexpr std::size_t kMaxLoggedText = 512;
constexpr std::size_t kMaxLoggedModel = 160;

std::string RequestIdOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto wanted = metadata.find(kRequestIdKey);
  if (wanted == metadata.end()) return RequestIdFrom({});
  return RequestIdFrom({wanted->second.data(), wanted->second.size()});
}

TraceContext TraceOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto sent = metadata.find(kTraceKey);
  if (sent == metadata.end()) return {};
  return TraceFrom({sent->second.data(), sent->second.size()});
}

/// The client's, by its token, its certificate or its Unix socket.
const Grant* GrantOf(const grpc::CallbackServerContext& call,
                     const Rights& rights, bool* has_token) {
  const auto& metadata = call.client_metadata();
  if (const auto sent = metadata.find("authorization");
      sent != metadata.end()) {
    constexpr std::string_view kBearer = "Bearer ";
    *has_token = true;
    std::string_view token(sent->second.data(), sent->second.size());
    if (!token.starts_with(kBearer)) return nullptr;
    return rights.OfToken(token.substr(kBearer.size()));
  }
  // gRPC has these names of certificates that it has verified, and of no other
  // connections.
  const auto auth = call.auth_context();
  for (const char* name : {"peer_uri", "peer_dns"}) {
    for (const auto& value : auth->FindPropertyValues(name)) {
      const Grant* grant = rights.OfName({value.data(), value.size()});
      if (grant != nullptr) return grant;
    }
  }
  return call.peer().starts_with("unix:") ? rights.OfUnix() : nullptr;
}

/// Worth an operator's attention, unlike a caller's mistake.
bool IsGrave(v1::Reason reason) {
  switch (CodeOf(reason)) {
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return true;
    case grpc::StatusCode::UNAVAILABLE:
      return reason != v1::DRAINING;
    default:
      return reason == v1::MODEL_BROKEN;
  }
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
  Error error;
  error.reason = v1::DRAINING;
  error.message = "The server is shutting down; go elsewhere.";
  return error;
}

CallRecord::CallRecord(grpc::CallbackServerContext* call, CallGate& gate,
                       std::string_view method, const RightsFile* rights,
                       bool read_only)
    : context_(call),
      gate_(gate),
      read_only_(read_only),
      rights_(rights == nullptr ? nullptr : rights->current()),
      grant_(rights_ == nullptr ? nullptr
                                : GrantOf(*call, *rights_, &has_token_)),
      peer_text_(call->peer()),
      peer_(PeerIdOf(peer_text_, grant_)),
      method_(method),
      request_id_(RequestIdOf(*call)),
      trace_(TraceOf(*call)),
      arrival_(std::chrono::steady_clock::now()),
      cancellation_(std::make_shared<CancellationToken>()) {
  context_->AddTrailingMetadata(kRequestIdKey, request_id_);
  // Last: where there is no memory for the call, it was never in flight.
  entered_ = gate_.Enter();
}

std::optional<Error> CallRecord::Refusal() const {
  if (!entered_) return Draining();
  if (read_only_ && ChangesModels(method_)) {
    Error error;
    error.reason = v1::READ_ONLY;
    error.message =
        "The server takes no registrations and deletions "
        "(--read-only).";
    return error;
  }
  if (rights_ == nullptr) return std::nullopt;
  Error error;
  if (grant_ == nullptr) {
    error.reason = v1::UNAUTHENTICATED;
    error.message = has_token_
                        ? "The token is unknown."
                        : "The call needs a token (metadata authorization: "
                          "Bearer TOKEN) or a certificate with rights.";
    return error;
  }
  const Role needed = RoleFor(method_);
  if (needed != Role::kNone && grant_->role >= needed) return std::nullopt;
  error.reason = v1::PERMISSION_DENIED;
  error.message = std::string(method_) + " needs the role " +
                  std::string(NameOf(needed)) + "; " + grant_->name + " has " +
                  std::string(NameOf(grant_->role)) + ".";
  error.metadata = {{"client", grant_->name},
                    {"role", std::string(NameOf(needed))}};
  return error;
}

std::optional<Error> CallRecord::RefusalOf(std::string_view model) const {
  if (MayList(model)) return std::nullopt;
  Error error;
  error.reason = v1::PERMISSION_DENIED;
  error.message = grant_->name + " may use models by names that match " +
                  grant_->models + ".";
  error.metadata = {{"client", grant_->name}, {"models", grant_->models}};
  return error;
}

CallRecord::~CallRecord() {
  if (entered_) gate_.Leave();
}

grpc::Status CallRecord::Succeed(std::string_view change) {
  CountCall(method_, grpc::StatusCode::OK, v1::REASON_UNSPECIFIED, age());
  const LogLevel level = change.empty() ? LogLevel::kDebug : LogLevel::kInfo;
  LogEnd(level, "call done", "OK", change);
  return grpc::Status::OK;
}

grpc::Status CallRecord::Fail(Error error) {
  grpc::Status status(grpc::StatusCode::INTERNAL, "");
  try {
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

grpc::Status CallRecord::Abandon() {
  const bool late = context_->deadline() <= std::chrono::system_clock::now();
  const grpc::Status status =
      late
          ? grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                         "The deadline passed.")
          : grpc::Status(grpc::StatusCode::CANCELLED, "The call is cancelled.");
  CountCall(method_, status.error_code(), v1::REASON_UNSPECIFIED, age());
  LogEnd(LogLevel::kInfo, "call failed",
         late ? "DEADLINE_EXCEEDED" : "CANCELLED", status.error_message());
  return status;
}

void CallRecord::LogNotTaken(std::chrono::duration<double> waited) const {
  Log(LogLevel::kWarn, "message not taken",
      {{"method", method_},
       {"peer", CleanText(peer_text_, kMaxLoggedText)},
       {"seconds", waited.count()}});
}

void CallRecord::set_model(std::string_view model) {
  model_ = CleanText(model, kMaxLoggedModel);
}

void CallRecord::Cancel() {
  cancelled_.store(true);
  cancellation_->Cancel();
}

std::chrono::nanoseconds CallRecord::age() const {
  return std::chrono::steady_clock::now() - arrival_;
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
  if (volume_) {
    Log(level, message,
        {method,
         result,
         model,
         from,
         client,
         request_id,
         trace,
         parent,
         duration,
         {"chunks", volume_->chunks},
         {"rows", volume_->rows},
         said});
  } else {
    Log(level, message,
        {method, result, model, from, client, request_id, trace, parent,
         duration, said});
  }
}

}  // namespace torqued::server
