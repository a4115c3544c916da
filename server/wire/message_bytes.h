// Messages as gRPC carries them.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <string_view>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// Uses the bytes up. False: they are no such message.
template <class Message>
bool ParseMessage(grpc::ByteBuffer* bytes, Message* message) {
  return grpc::SerializationTraits<Message>::Deserialize(bytes, message).ok();
}

/// In the place of what `bytes` held. The message must be under 2 GiB.
template <class Message>
void SerializeMessage(const Message& message, grpc::ByteBuffer* bytes) {
  bytes->Clear();
  bool own = false;
  grpc::SerializationTraits<Message>::Serialize(message, bytes, &own);
}

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
