// A call of torqued.v1.ModelRegistry: parsing and database work, on the pool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/services/admitted_work.h"
#include "server/services/registry_handlers.h"
#include "server/services/unary_call.h"

namespace torqued::server {

template <class Request, class Reply>
class RegistryCall final : public UnaryCall {
 public:
  RegistryCall(grpc::CallbackServerContext* call, ServiceContext& context,
               std::string_view method, const Request& request, Reply* reply)
      : UnaryCall(call, context.gate, method),
        context_(context),
        request_(request),
        reply_(reply) {}

 private:
  ~RegistryCall() override = default;

  void Run() override {
    set_model(ModelOf(request_));
    const auto bytes = static_cast<std::int64_t>(request_.ByteSizeLong());
    if (auto error = SubmitAdmitted(context_, bytes, &ticket_,
                                    [this] { Guarded([this] { Work(); }); })) {
      Fail(*std::move(error));
    }
  }

  void Work() {
    if (cancelled()) return Abandon();
    if (auto error = HandleIt()) {
      // Nobody waits for what it ended with.
      return cancelled() ? Abandon() : Fail(*std::move(error));
    }
    const auto bytes = static_cast<std::int64_t>(reply_->ByteSizeLong());
    if (bytes > context_.limits.max_message_bytes) return Fail(TooLarge(bytes));
    Succeed(ChangeOf(request_, *reply_));
  }

  std::optional<Error> HandleIt() {
    const auto poll = [this] { return cancelled(); };
    if constexpr (requires {
                    Handle(context_.registry, request_, reply_, poll);
                  }) {
      return Handle(context_.registry, request_, reply_, poll);
    } else {
      return Handle(context_.registry, request_, reply_);
    }
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
  const Request& request_;
  Reply* reply_;
  Admission::Ticket ticket_;
};

}  // namespace torqued::server
