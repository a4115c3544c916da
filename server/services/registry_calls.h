// The calls of torqued.v1.ModelRegistry, outside the pool that computes.
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

/// The interface of a call to its handler, in addition to the reply.
struct Handling {
  /// Admits copies, parsing, reply and serialized form before they are made.
  Reservation* room;
  /// True ends parsing and listing with an error. Absent: never.
  std::function<bool()> cancelled = {};
  MayList may_list = {};

  /// For the log; empty for calls that only read.
  std::string change = {};
};

/// A call of the registry without its transport.
template <class Request, class Reply>
std::optional<Error> Handle(Registry& registry, const Request& request,
                            Reply* reply, Handling* handling);

template <class Request, class Reply>
class RegistryCall final : public UnaryCall {
  using UnaryCall::UnaryCall;

  std::optional<Error> Run() override {
    auto error = Receive(request_bytes_, &request_, &room_, kBytesOfCall);
    if constexpr (requires { request_.name(); }) {
      if (!error) error = SetModel(request_.name());
    } else if constexpr (requires { request_.model(); }) {
      if (!error) error = SetModel(request_.model());
    }
    if (error) return error;
    context_.background.Submit([this] { Guarded([this] { return Work(); }); },
                               host());
    return std::nullopt;
  }

  std::optional<Error> Work() {
    if (cancelled()) return Error();  // which nobody hears of
    Reply reply;
    Handling handling{.room = &room_,
                      .cancelled = [this] { return cancelled(); }};
    if (grant() != nullptr) {
      handling.may_list = std::bind_front(&Grant::Covers, grant());
    }
    auto error = Handle(context_.registry, request_, &reply, &handling);
    if (error) return error;
    const auto bytes = static_cast<std::int64_t>(reply.ByteSizeLong());
    if (bytes > context_.limits.max_message_bytes) {
      const auto limit = std::to_string(context_.limits.max_message_bytes);
      return MakeError(v1::REQUEST_TOO_LARGE,
                       "The reply would take " + std::to_string(bytes) +
                           " bytes, more than " + limit + ".",
                       {{"limit", limit}, {"setting", "max-message-bytes"}});
    }
    SerializeMessage(reply, reply_bytes_);
    Request().Swap(&request_);
    // From here on it is only there as it is sent.
    room_.ShrinkTo(bytes + kBytesOfCall);
    Succeed(handling.change);
    return std::nullopt;
  }

  Request request_;
};

}  // namespace torqued::server
