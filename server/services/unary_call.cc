#include "server/services/unary_call.h"

#include "server/errors/error.h"

namespace torqued::server {

UnaryCall* UnaryCall::Start(UnaryCall* call) {
  if (auto refusal = call->record_.Refusal()) {
    call->Fail(*std::move(refusal));
    return call;
  }
  // Without an end the call would hold its place in the gate for ever.
  call->Guarded([call] { call->Run(); });
  return call;
}

grpc::ServerUnaryReactor* UnaryCall::RefuseEmpty(
    grpc::CallbackServerContext* call) {
  static const grpc::Status* const status = [] {
    Error error;
    error.reason = v1::INVALID_FIELD;
    error.message = "The call has no message.";
    return new grpc::Status(ToStatus(error));
  }();
  grpc::ServerUnaryReactor* reactor = call->DefaultReactor();
  reactor->Finish(*status);
  return reactor;
}

}  // namespace torqued::server
