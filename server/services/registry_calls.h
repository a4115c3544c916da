// The calls of torqued.v1.ModelRegistry, beside the pool that computes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/call.h"
#include "server/wire/message_bytes.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

/// What a handler asks of its call, and tells it beside the reply.
struct Handling {
  /// Admits copies, parsing, reply and serialized form before they are made.
  Reservation* room;
  /// True ends parsing and listing with an error. Absent: never.
  std::function<bool()> cancelled = {};
  /// Whether a list may name the model. Absent: it may.
  std::function<bool(std::string_view name)> may_list = {};

  /// For the log; empty for calls that only read.
  std::string change = {};
};

// The calls without their transport.

std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* reply, Handling* handling);

template <class Request, class Reply>
class RegistryCall final : public UnaryCall {
  using UnaryCall::UnaryCall;

  void Run() override {
    auto error = Receive(request_bytes_, &request_, &room_, kBytesOfCall);
    if constexpr (requires { request_.name(); }) {
      if (!error) error = SetModel(request_.name());
    } else if constexpr (requires { request_.model(); }) {
      if (!error) error = SetModel(request_.model());
    }
    if (error) return Fail(*std::move(error));
    context_.background.Submit([this] { Guarded([this] { Work(); }); }, host());
  }

  void Work() {
    if (cancelled()) return Fail({});
    Reply reply;
    Handling handling{
        .room = &room_,
        .cancelled = [this] { return cancelled(); },
        .may_list = [this](std::string_view n) { return MayList(n); }};
    auto error = Handle(context_.registry, request_, &reply, &handling);
    if (error) return Fail(*std::move(error));
    const auto bytes = static_cast<std::int64_t>(reply.ByteSizeLong());
    if (bytes > context_.limits.max_message_bytes) {
      const auto limit = std::to_string(context_.limits.max_message_bytes);
      return Fail(
          MakeError(v1::REQUEST_TOO_LARGE,
                    "The reply would take " + std::to_string(bytes) +
                        " bytes, more than " + limit + ".",
                    {{"limit", limit}, {"setting", "max-message-bytes"}}));
    }
    SerializeMessage(reply, reply_bytes_);
    Request().Swap(&request_);
    // From here on it is only there as it is sent.
    room_.ShrinkTo(bytes + kBytesOfCall);
    Succeed(handling.change);
  }

  Request request_;
};

}  // namespace torqued::server
