// A call of torqued.v1.ModelRegistry: parsing and database work, beside
// the pool that computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "server/services/parsing_room.h"
#include "server/services/receive.h"
#include "server/services/registry_handlers.h"
#include "server/services/service_context.h"
#include "server/services/unary_call.h"
#include "server/wire/reply_bytes.h"

namespace torqued::server {

/// Whether the request names a model.
template <class Request>
inline constexpr bool kIsOfAModel =
    !std::is_same_v<Request, v1::ValidateModelRequest> &&
    !std::is_same_v<Request, v1::ListModelsRequest>;

/// What the call holds is admitted before the work that makes it, until gRPC is
/// through with the call.
template <class Request, class Reply>
class RegistryCall final : public UnaryCall {
 public:
  /// `request` is given up once it is parsed.
  RegistryCall(grpc::CallbackServerContext* call, ServiceContext& context,
               std::string_view method, grpc::ByteBuffer* request,
               grpc::ByteBuffer* reply)
      : UnaryCall(call, context, method),
        context_(context),
        request_bytes_(request),
        reply_bytes_(reply) {}

 private:
  ~RegistryCall() override = default;

  void Run() override {
    auto error = Receive(request_bytes_, {context_.admission, peer()},
                         &request_, &request_room_);
    if (!error) {
      set_model(ModelOf(request_));
      if constexpr (kIsOfAModel<Request>) error = RefusalOf(ModelOf(request_));
      if (!error) error = AdmitReply(RoomFor(request_) + kBytesOfCall);
    }
    if (error) return Fail(*std::move(error));
    context_.uncut.Submit([this] { Guarded([this] { Work(); }); }, host());
  }

  void Work() {
    if (cancelled()) return Abandon();
    Reply reply;
    std::shared_ptr<const std::string> source;
    if (auto error = HandleAdmitted(&reply, &source)) {
      // Nobody waits for what it ended with.
      return cancelled() ? Abandon() : Fail(*std::move(error));
    }
    if constexpr (requires { reply.mutable_models(); }) {
      auto* models = reply.mutable_models();
      models->erase(std::remove_if(models->begin(), models->end(),
                                   [this](const auto& model) {
                                     return !MayList(model.name());
                                   }),
                    models->end());
    }
    const std::int64_t bytes = BytesOf(reply, source);
    if (bytes > context_.limits.max_message_bytes) return Fail(TooLarge(bytes));
    if (source != nullptr) {
      SerializeReply(
          reply,
          SharedBytes{v1::GetModelReply::kSourceFieldNumber, std::move(source)},
          reply_bytes_);
    } else {
      SerializeMessage(reply, reply_bytes_);
    }
    const std::string change = ChangeOf(request_, reply);
    Request().Swap(&request_);
    request_room_ = {};
    // From here on it is only there as it is sent.
    reply_room_.KeepBytes(bytes + kBytesOfCall);
    Succeed(change);
  }

  /// With what parsing takes admitted meanwhile.
  std::optional<Error> HandleAdmitted(
      Reply* reply, std::shared_ptr<const std::string>* source) {
    ParsingRoom parsing({context_.admission, peer(),
                         request_room_.load() + reply_room_.load()});
    if constexpr (requires { request_.source(); }) {
      if (auto error = parsing.Admit(request_.source())) return error;
    }
    parsing_ = &parsing;
    auto error = HandleIt(reply, source, parsing.Asked());
    parsing_ = nullptr;
    return parsing.refusal() ? parsing.refusal() : std::move(error);
  }

  std::optional<Error> HandleIt(
      Reply* reply, [[maybe_unused]] std::shared_ptr<const std::string>* source,
      [[maybe_unused]] const AdmitSource& admit_source) {
    const auto poll = [this] { return cancelled(); };
    if constexpr (requires {
                    Handle(context_.registry, request_, reply, source,
                           AdmitBytes(), admit_source);
                  }) {
      return Handle(
          context_.registry, request_, reply, source,
          [this](std::int64_t bytes) { return AdmitReply(bytes); },
          admit_source);
    } else if constexpr (requires {
                           Handle(context_.registry, request_, reply, poll,
                                  admit_source);
                         }) {
      return Handle(context_.registry, request_, reply, poll, admit_source);
    } else if constexpr (requires {
                           Handle(context_.registry, request_, reply, poll);
                         }) {
      return Handle(context_.registry, request_, reply, poll);
    } else {
      return Handle(context_.registry, request_, reply);
    }
  }

  std::optional<Error> AdmitReply(std::int64_t bytes) {
    Admission::Load own = request_room_.load() + reply_room_.load();
    if (parsing_ != nullptr) own = own + parsing_->load();
    auto admitted = context_.admission.Admit({.bytes = bytes}, peer(), own);
    if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
    reply_room_.Add(std::get<Admission::Ticket>(std::move(admitted)));
    return std::nullopt;
  }

  static std::int64_t BytesOf(
      const Reply& reply, const std::shared_ptr<const std::string>& source) {
    constexpr std::size_t kTagAndLength = 6;
    return static_cast<std::int64_t>(
        reply.ByteSizeLong() +
        (source == nullptr ? 0 : source->size() + kTagAndLength));
  }

  Error TooLarge(std::int64_t bytes) const {
    const std::string limit = std::to_string(context_.limits.max_message_bytes);
    Error error;
    error.reason = v1::REQUEST_TOO_LARGE;
    error.message = "The reply would take " + std::to_string(bytes) +
                    " bytes, more than " + limit + ".";
    error.metadata = {{"limit", limit}, {"setting", "max-message-bytes"}};
    return error;
  }

  ServiceContext& context_;
  grpc::ByteBuffer* const request_bytes_;
  grpc::ByteBuffer* const reply_bytes_;
  Request request_;
  Admission::Ticket request_room_;
  const ParsingRoom* parsing_ = nullptr;  // while the request is handled
  Admission::Ticket reply_room_;
};

}  // namespace torqued::server
