// A call of torqued.v1.ModelRegistry: parsing and database work, beside
// the pool that computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "server/services/receive.h"
#include "server/services/registry_handlers.h"
#include "server/services/unary_call.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// What the call holds is admitted before the work that makes it, until gRPC is
/// through with the call.
template <class Request, class Reply>
class RegistryCall final : public UnaryCall {
 public:
  using ModelOf = const std::string& (Request::*)() const;

  /// `model`: of the request, if it names one.
  explicit RegistryCall(const Incoming& incoming, ModelOf model = nullptr)
      : UnaryCall(incoming), model_(model) {}

 private:
  ~RegistryCall() override = default;

  void Run() override {
    auto error = Receive(request_bytes_, {context_.admission, record_.peer()},
                         &request_, &reservation_, kBytesOfCall);
    if (!error && model_ != nullptr) {
      const std::string& model = (request_.*model_)();
      record_.set_model(model);
      error = record_.RefusalOf(model);
    }
    if (error) return Fail(*std::move(error));
    context_.background.Submit([this] { Guarded([this] { Work(); }); },
                               record_.host());
  }

  void Work() {
    if (record_.cancelled()) return Abandon();
    Reply reply;
    Handling handling;
    auto error = HandleAdmitted(&reply, &handling);
    // Nobody waits for what it ended with.
    if (error && record_.cancelled()) return Abandon();
    if (error) return Fail(*std::move(error));
    constexpr std::size_t kTagAndLength = 6;
    const auto bytes = static_cast<std::int64_t>(
        reply.ByteSizeLong() + (handling.source == nullptr
                                    ? 0
                                    : handling.source->size() + kTagAndLength));
    if (bytes > context_.limits.max_message_bytes) return Fail(TooLarge(bytes));
    if (handling.source != nullptr) {
      SerializeReply(reply,
                     SharedBytes{v1::GetModelReply::kSourceFieldNumber,
                                 std::move(handling.source)},
                     reply_bytes_);
    } else {
      SerializeMessage(reply, reply_bytes_);
    }
    Request().Swap(&request_);
    // From here on it is only there as it is sent.
    reservation_.ShrinkTo(bytes + kBytesOfCall);
    Succeed(handling.change);
  }

  std::optional<Error> HandleAdmitted(Reply* reply, Handling* handling) {
    handling->cancelled = [this] { return record_.cancelled(); };
    handling->may_list = [this](std::string_view name) {
      return record_.MayList(name);
    };
    handling->admit = [this](std::int64_t bytes) -> std::optional<Error> {
      auto admitted = context_.admission.Admit({.bytes = bytes}, record_.peer(),
                                               reservation_.load());
      if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
      reservation_.Add(std::get<Admission::Reservation>(std::move(admitted)));
      return std::nullopt;
    };
    return Handle(context_.registry, request_, reply, handling);
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

  const ModelOf model_;
  Request request_;
  Admission::Reservation
      reservation_;  // of the call, its request and its reply
};

}  // namespace torqued::server
