// A reply as it is sent.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <string_view>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// The echo of a reply, which is the last field of every reply that has one.
struct EchoBytes {
  int field;  // its number in the reply
  /// A v1.Echo without timing, made once for all replies to a query.
  std::string_view constant;
  const v1::Timing* timing = nullptr;  // null: none
};

/// `reply` has no echo. It must be under 2 GiB with the one that it gets.
void SerializeReply(const google::protobuf::MessageLite& reply,
                    const EchoBytes& echo, grpc::ByteBuffer* bytes);

}  // namespace torqued::server
