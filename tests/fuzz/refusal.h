// What must hold for every call that the server refuses.
#pragma once

#include <google/protobuf/message.h>

#include "server/errors/error.h"

namespace torqued::fuzz {

/// A reason of the contract, a clean sentence, the place that the reason
/// promises, and details that fit into the trailers. The fields that it names
/// are fields of `request`.
void CheckRefusal(const server::Error& error,
                  const google::protobuf::Message& request);

}  // namespace torqued::fuzz
