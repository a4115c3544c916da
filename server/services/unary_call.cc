#include "server/services/unary_call.h"

namespace torqued::server {

UnaryCall* UnaryCall::Start(UnaryCall* call) {
  if (!call->record_.entered()) {
    call->Fail(Draining());
    return call;
  }
  // Without an end the call would hold its place in the gate for ever.
  call->Guarded([call] { call->Run(); });
  return call;
}

}  // namespace torqued::server
